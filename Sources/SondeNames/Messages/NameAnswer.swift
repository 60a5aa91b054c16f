import SondeAddresses

/// The supported types of records (RFC 1035 §3.2.2, RFC 3596 §2.1).
enum RecordType: UInt16, Sendable {
  case a = 1
  case nameServer = 2
  case canonicalName = 5
  case startOfAuthority = 6
  case pointer = 12
  case text = 16
  case aaaa = 28
}

/// The answer of a message to its only question (RFC 1035 §4).
///
/// c-ares's own parser of pointers loses their TTLs, and treats names as C strings.
struct NameAnswer: Sendable {
  /// The relevant response codes (RFC 1035 §4.1.1).
  enum Code {
    static let success: UInt8 = 0
    static let serverFailure: UInt8 = 2
    static let noSuchName: UInt8 = 3
  }

  /// The largest number of records read per message; further ones are ignored.
  static let mostRecords = 1000

  /// The largest number of aliases (CNAME) followed.
  static let mostLinks = 16
  private(set) var code: UInt8 = 0
  private(set) var isTruncated = false

  /// The names in pointers, unchanged.
  private(set) var names: [DomainName] = []
  private(set) var addresses: [Address] = []

  /// The texts, each of its strings joined, as bytes of any value.
  private(set) var texts: [[UInt8]] = []

  /// The last alias, if the message has no records for it.
  private(set) var alias: DomainName?

  /// The number of aliases followed to it.
  private(set) var links = 0

  /// The lowest TTL of the records used, in seconds; without any, that of their absence (RFC 2308
  /// §5), `nil` if unknown.
  private(set) var timeToLive: UInt32?
  var isEmpty: Bool { names.isEmpty && addresses.isEmpty && texts.isEmpty }

  /// Parses untrusted bytes for records of the type `pointer`, `text`, `a` or `aaaa`; `nil` if they are
  /// truncated or not an answer to one question.
  init?(_ message: Span<UInt8>, to type: RecordType) {
    guard let flags = message.number16(at: 2), flags >> 15 == 1, message.number16(at: 4) == 1,
      let answers = message.number16(at: 6), let authorities = message.number16(at: 8)
    else { return nil }
    (code, isTruncated) = (UInt8(flags & 15), flags >> 9 & 1 == 1)
    guard let nameEnd = message.endOfName(at: 12), nameEnd + 4 <= message.count else { return nil }
    // A truncated answer is requested again.
    guard !isTruncated else { return }
    var reader = ResourceRecordReader(at: nameEnd + 4)
    guard let records = reader.read(Int(answers), of: message) else { return nil }
    read(records, of: message, for: type)
    if isEmpty, let authority = reader.read(Int(authorities), of: message) {
      timeToLive = Self.negativeTime(authority, of: message)
    }
  }

  /// Follows the aliases from the question to the requested records.
  private mutating func read(
    _ records: [ResourceRecord],
    of message: Span<UInt8>,
    for type: RecordType
  ) {
    var owner = 12
    while links <= Self.mostLinks {
      for record in records
      where record.type == type.rawValue && message.isSameName(at: record.owner, and: owner) {
        append(record, of: message, type)
      }
      guard isEmpty else { break }
      let link = records.first {
        $0.type == RecordType.canonicalName.rawValue && message.isSameName(at: $0.owner, and: owner)
          && message.endOfName(at: $0.data.lowerBound) == $0.data.upperBound
      }
      guard let link else { break }
      limit(to: link.timeToLive)
      links += 1
      owner = link.data.lowerBound
    }
    if isEmpty, links > 0 { alias = DomainName(message, at: owner) }
  }

  private mutating func append(
    _ record: ResourceRecord,
    of message: Span<UInt8>,
    _ type: RecordType
  ) {
    switch (type, record.data.count) {
    case (.pointer, _):
      guard message.endOfName(at: record.data.lowerBound) == record.data.upperBound,
        let name = DomainName(message, at: record.data.lowerBound)
      else { return }
      names.append(name)
    case (.text, _):
      guard let text = message.strings(in: record.data) else { return }
      texts.append(text)
    case (.a, 4), (.aaaa, 16):
      guard let address = Address(bytes: record.data.map { message[$0] }) else { return }
      addresses.append(address)
    default: return
    }
    limit(to: record.timeToLive)
  }

  private mutating func limit(to time: UInt32) { timeToLive = min(timeToLive ?? time, time) }

  /// The lifetime of an absence: the lower of the zone's figure and the TTL of its record (RFC 2308
  /// §5).
  private static func negativeTime(_ records: [ResourceRecord], of message: Span<UInt8>) -> UInt32?
  {
    let zone = records.first {
      $0.type == RecordType.startOfAuthority.rawValue && $0.data.count >= 22
    }
    guard let zone, let minimum = message.number32(at: zone.data.upperBound - 4) else { return nil }
    return min(zone.timeToLive, minimum)
  }
}

/// A record of a message, with the positions of its name and data.
struct ResourceRecord {
  let owner: Int
  let type: UInt16
  let timeToLive: UInt32
  let data: Range<Int>
}

/// Reads the records of a message by sections.
struct ResourceRecordReader {
  private var position: Int

  init(at position: Int) { self.position = position }

  /// Reads the records of a section with the class Internet (`IN`), the first thousand at most;
  /// `nil` if the message ends before them.
  mutating func read(_ count: Int, of message: Span<UInt8>) -> [ResourceRecord]? {
    var records: [ResourceRecord] = []
    for _ in 0..<count {
      guard let owner = message.endOfName(at: position), let type = message.number16(at: owner),
        let recordClass = message.number16(at: owner + 2),
        let time = message.number32(at: owner + 4), let length = message.number16(at: owner + 8)
      else { return nil }
      let data = owner + 10..<owner + 10 + Int(length)
      guard data.upperBound <= message.count else { return nil }
      if recordClass == 1, records.count < NameAnswer.mostRecords {
        // With the highest bit set, it counts as zero seconds (RFC 2181 §8).
        let time = time >> 31 == 0 ? time : 0
        records.append(ResourceRecord(owner: position, type: type, timeToLive: time, data: data))
      }
      position = data.upperBound
    }
    return records
  }
}

extension Span where Element == UInt8 {
  /// The strings of a text, joined (RFC 1035 §3.3.14); `nil` if one is longer than the record.
  fileprivate func strings(in data: Range<Int>) -> [UInt8]? {
    var (text, position): ([UInt8], Int) = ([], data.lowerBound)
    while position < data.upperBound {
      let end = position + 1 + Int(self[position])
      guard end <= data.upperBound else { return nil }
      for index in position + 1..<end { text.append(self[index]) }
      position = end
    }
    return text
  }
}
