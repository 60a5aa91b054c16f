/// A domain name: its labels as they stand in a message, each behind its length, and the root's zero.
///
/// At most 255 bytes (RFC 1035 §2.3.4), which may be any (RFC 2181 §11).
struct DomainName: Sendable {
  /// The longest name (RFC 1035 §2.3.4).
  static let longest = 255

  /// The bytes of a message without compression.
  let wire: [UInt8]

  /// Reads a name from a message, following its pointers (RFC 1035 §4.1.4).
  ///
  /// - Parameters:
  ///   - message: The whole message.
  ///   - start: Where the name begins.
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

  /// Whether it is the root, which has no label.
  var isRoot: Bool { wire.count == 1 }

  /// Calls a body with each label, from the first.
  private func forEachLabel(_ body: (ArraySlice<UInt8>) -> Void) {
    var position = 0
    while wire[position] > 0 {
      let end = position + 1 + Int(wire[position])
      body(wire[position + 1..<end])
      position = end
    }
  }

  /// The text for a person or a record, without the root's dot: letters as they came.
  ///
  /// A byte that is no visible ASCII character, a dot inside a label and a backslash are written `\DDD`,
  /// in decimal (RFC 1035 §5.1, RFC 4343 §2.1), so that a text holds no blank and means one name only.
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

  /// The text that `ares_query(3)` makes a question of: `\` before a dot inside a label and before `\`.
  ///
  /// `nil` where no question can be made: of the root, and of a name with a zero byte, which would end
  /// the text.
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
  /// The same whatever the case of ASCII letters (RFC 4343 §3).
  static func == (left: DomainName, right: DomainName) -> Bool {
    left.wire.count == right.wire.count
      && zip(left.wire, right.wire).allSatisfy { $0.isSameLetter(as: $1) }
  }

  func hash(into hasher: inout Hasher) {
    for byte in wire { hasher.combine(byte.lowerCase) }
  }
}

extension UInt8 {
  /// The small letter of an ASCII letter; any other byte itself.
  var lowerCase: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  func isSameLetter(as other: UInt8) -> Bool { self == other || lowerCase == other.lowerCase }
}
