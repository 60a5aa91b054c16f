@testable import SondeNames

/// A message of DNS that a test writes, byte by byte.
struct Message {
  /// A record: its owner, type and TTL, and its data.
  struct Entry {
    var owner: [UInt8]
    var type: UInt16
    var timeToLive: UInt32 = 3600
    var data: [UInt8]
    var recordClass: UInt16 = 1
  }

  var id: UInt16 = 7
  var code: UInt8 = 0
  var isTruncated = false
  var question = name("1.2.0.192.in-addr.arpa")
  var type = RecordType.pointer
  var answers: [Entry] = []
  var authorities: [Entry] = []
  /// How many answers it says that it has, if not as many.
  var claimedAnswers: Int?

  /// A pointer to the question.
  static let toQuestion: [UInt8] = [0xc0, 12]

  /// A name as it stands in a message, without compression; labels are separated by dots.
  static func name(_ text: String) -> [UInt8] {
    let labels = text.split(separator: ".").map { [UInt8($0.utf8.count)] + Array($0.utf8) }
    return labels.flatMap(\.self) + [0]
  }

  static func number(_ value: UInt16) -> [UInt8] {
    [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
  }

  static func number(_ value: UInt32) -> [UInt8] {
    number(UInt16(value >> 16)) + number(UInt16(truncatingIfNeeded: value))
  }

  /// A pointer record of the question.
  static func pointer(_ name: String, timeToLive: UInt32 = 3600) -> Entry {
    Entry(owner: toQuestion, type: 12, timeToLive: timeToLive, data: self.name(name))
  }

  /// A zone's own record, with its time for what is not there.
  static func zone(timeToLive: UInt32, minimum: UInt32) -> Entry {
    let data = [0, 0] + [UInt8](repeating: 0, count: 16) + number(minimum)
    return Entry(owner: [0], type: 6, timeToLive: timeToLive, data: data)
  }

  var bytes: [UInt8] {
    let flags = 0x8180 | UInt16(code) | (isTruncated ? 0x200 : 0)
    let counts: [UInt16] = [
      1, UInt16(claimedAnswers ?? answers.count), UInt16(authorities.count), 0,
    ]
    var bytes = Self.number(id) + Self.number(flags) + counts.flatMap { Self.number($0) }
    bytes += question + Self.number(type.rawValue) + Self.number(UInt16(1))
    for entry in answers + authorities {
      bytes += entry.owner + Self.number(entry.type) + Self.number(entry.recordClass)
      bytes += Self.number(entry.timeToLive) + Self.number(UInt16(entry.data.count)) + entry.data
    }
    return bytes
  }

  /// The message as it is read.
  var answer: NameAnswer? { NameAnswer(bytes.span, to: type) }
}
