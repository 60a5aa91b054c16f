/// A domain name in wire format: its labels, each after its length, and the root's zero.
///
/// It has at most 255 bytes (RFC 1035 §2.3.4) with any values (RFC 2181 §11).
struct DomainName: Sendable {
  /// The longest name (RFC 1035 §2.3.4).
  static let longest = 255

  /// The wire format without compression.
  let wire: [UInt8]

  /// Parses the name at a position of a message, following its pointers (RFC 1035 §4.1.4).
  init?(_ message: Span<UInt8>, at start: Int) {
    var walk = LabelWalk(at: start)
    var wire: [UInt8] = []
    wire.reserveCapacity(64)
    while let label = walk.next(in: message) {
      guard wire.count + label.count + 2 <= Self.longest || label.isEmpty else { return nil }
      wire.append(UInt8(label.count))
      if label.isEmpty {
        self.wire = wire
        return
      }
      for index in label { wire.append(message[index]) }
    }
    return nil
  }

  /// Whether it is the root, which has no labels.
  var isRoot: Bool { wire.count == 1 }

  private func forEachLabel(_ body: (ArraySlice<UInt8>) -> Void) {
    var position = 0
    while wire[position] > 0 {
      let end = position + 1 + Int(wire[position])
      body(wire[position + 1..<end])
      position = end
    }
  }

  /// The text for people and records, without the root's dot and with unchanged case.
  ///
  /// A byte that is not a visible ASCII character, a dot inside a label and a backslash are written
  /// `\DDD`, in decimal (RFC 1035 §5.1, RFC 4343 §2.1), so that a text has no blanks and is
  /// unambiguous.
  var text: String {
    guard !isRoot else { return "." }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(wire.count)
    forEachLabel { label in
      if !bytes.isEmpty { bytes.append(UInt8(ascii: ".")) }
      for byte in label { Self.append(byte, to: &bytes) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    guard byte <= 0x20 || byte >= 0x7f || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "\\")
    else { return bytes.append(byte) }
    bytes.append(UInt8(ascii: "\\"))
    for divisor: UInt8 in [100, 10, 1] { bytes.append(0x30 + byte / divisor % 10) }
  }

  /// The text for `ares_query(3)`: with `\` before a dot inside a label and before `\`.
  ///
  /// It is `nil` for the root, and for a name with a zero byte, which would end the text.
  var questionText: [CChar]? {
    guard !isRoot else { return nil }
    var text: [CChar] = []
    var hasZero = false
    forEachLabel { label in
      if !text.isEmpty { text.append(CChar(UInt8(ascii: "."))) }
      for byte in label {
        hasZero = hasZero || byte == 0
        if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "\\") {
          text.append(CChar(UInt8(ascii: "\\")))
        }
        text.append(CChar(bitPattern: byte))
      }
    }
    return hasZero ? nil : text + [0]
  }
}

extension DomainName: Hashable {
  /// Compares names, ignoring the case of ASCII letters (RFC 4343 §3).
  static func == (left: DomainName, right: DomainName) -> Bool {
    left.wire.count == right.wire.count
      && zip(left.wire, right.wire).allSatisfy { $0.isSameLetter(as: $1) }
  }

  func hash(into hasher: inout Hasher) {
    for byte in wire { hasher.combine(byte.lowerCase) }
  }
}

extension UInt8 {
  /// The byte with ASCII letters in lower case.
  var lowerCase: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  func isSameLetter(as other: UInt8) -> Bool { self == other || lowerCase == other.lowerCase }
}
