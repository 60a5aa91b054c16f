/// A place in a document of JSON (RFC 6901).
struct JSONPointer: Sendable, Equatable {
  private let steps: [String]

  /// Parses `/data/0/name`; `nil` if it is malformed.
  init?(_ text: String) {
    guard text.isEmpty || text.hasPrefix("/") else { return nil }
    var steps: [String] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      guard let step = Self.unescaped(part) else { return nil }
      steps.append(step)
    }
    self.steps = steps
  }

  /// Replaces `~1` by `/` and `~0` by `~` (RFC 6901 §4); `nil` for any other `~`.
  private static func unescaped(_ part: Substring) -> String? {
    var (text, rest) = ("", part)
    while let first = rest.popFirst() {
      guard first == "~" else {
        text.append(first)
        continue
      }
      switch rest.popFirst() {
      case "0": text.append("~")
      case "1": text.append("/")
      default: return nil
      }
    }
    return text
  }

  /// The value at this place; `nil` if there is none.
  func value(in document: JSONDocument) -> JSONDocument.Value? {
    var value = document.root
    for step in steps {
      guard let next = document.value(at: step, in: value) else { return nil }
      value = next
    }
    return value
  }
}

extension JSONDocument {
  /// The member of an object with a name, or the element of an array with a number.
  fileprivate func value(at step: String, in value: Value) -> Value? {
    var found: Value?
    switch value {
    case .object(let members):
      forEachMember(members) { key, value in
        if found == nil, bytes(key).elementsEqual(step.utf8) { found = value }
      }
    case .array(let elements):
      // Without leading zeros (RFC 6901 §4).
      guard let number = Int(step), "\(number)" == step, number >= 0 else { return nil }
      var index = 0
      forEachElement(elements) { value in
        if index == number { found = value }
        index += 1
      }
    case .null, .bool, .integer, .double, .string: return nil
    }
    return found
  }
}
