import SondeDashboard
import SondeRecords
import SondeWeb

extension Query {
  /// The most items of a list at once.
  private static var longestList: Int { 500 }

  /// How many items are wanted.
  func limit() throws(Problem) -> Int {
    try integer("limit", in: 1...Self.longestList) ?? 100
  }

  /// A text that is searched for, which no value can have a NUL in.
  func searched(_ name: String) throws(Problem) -> String {
    let text = self[name] ?? ""
    guard !text.utf8.contains(0) else { throw .invalid("“\(name)” must not have a NUL") }
    return text
  }

  /// Where a list resumes, as a number.
  func before() throws(Problem) -> Int? {
    guard let text = self["before"] else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw .invalid("“before” must be what “next” was")
    }
    return number
  }
}

extension Response {
  /// Some items of a list, each JSON already, and where it resumes.
  static func list(_ items: [[UInt8]], next: String?) -> Response {
    var object = JSONObject()
    object.add("items", array: items)
    object.add("next", optional: next)
    return .json(object.bytes)
  }
}

extension JSONObject {
  /// Adds an array of values that are JSON already.
  mutating func add(_ name: String, array items: [[UInt8]]) {
    let joined = items.joined(separator: [UInt8(ascii: ",")])
    add(name, json: [UInt8(ascii: "[")] + joined + [UInt8(ascii: "]")])
  }
}
