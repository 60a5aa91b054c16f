/// The member of a JSON line with its time.
enum JSONTime {
  /// The names of the members; the first one that exists and is a time counts.
  static let members = [
    "time", "timestamp", "@timestamp", "ts", "date", "_SOURCE_REALTIME_TIMESTAMP",
    "__REALTIME_TIMESTAMP",
  ]

  /// Whether a member has microseconds since 1970 UTC, as those of journald
  /// (`systemd.journal-fields(7)`).
  static func hasMicroseconds(_ rank: Int) -> Bool { rank >= 5 }

  /// The index of a name among them; `nil` for any other.
  static func rank(of name: Range<Int>, in text: Span<UInt8>) -> Int? {
    guard lengths.contains(name.count) else { return nil }
    for (rank, member) in names.enumerated() where member.count == name.count {
      if member.indices.allSatisfy({ text[name.lowerBound + $0] == member[$0] }) { return rank }
    }
    return nil
  }

  private static let names = members.map { Array($0.utf8) }
  private static let lengths = 2...(names.map(\.count).max() ?? 2)
}

/// Iterates over the members of a JSON object on one line; an error ends the iteration.
struct JSONLine {
  /// A member of the object.
  struct Member {
    /// The name without its quotes.
    var name: Range<Int>
    /// A string with its quotes, a number or a word; empty if it is nested.
    var value: Range<Int>
  }

  private let end: Int
  private var position: Int

  /// Starts at the opening brace.
  init(from start: Int, to end: Int) { (self.end, position) = (end, start &+ 1) }

  /// The next member that is not nested.
  mutating func next(in text: Span<UInt8>) -> Member? {
    while true {
      skip(text) { $0.isBlank || $0 == UInt8(ascii: ",") }
      guard let name = string(text) else { return nil }
      skip(text) { $0.isBlank }
      guard position < end, text[position] == UInt8(ascii: ":") else { return nil }
      position &+= 1
      skip(text) { $0.isBlank }
      guard position < end else { return nil }
      switch text[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard skipNested(text) else { return nil }
      case UInt8(ascii: "\""):
        let start = position
        guard string(text) != nil else { return nil }
        return Member(name: name, value: start..<position)
      default:
        let start = position
        skip(text) { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") && $0 > 0x20 }
        guard position > start else { return nil }
        return Member(name: name, value: start..<position)
      }
    }
  }

  @inline(__always)
  private mutating func skip(_ text: Span<UInt8>, _ isSkipped: (UInt8) -> Bool) {
    while position < end, isSkipped(text[position]) { position &+= 1 }
  }

  /// The content of the string at the position, without quotes.
  private mutating func string(_ text: Span<UInt8>) -> Range<Int>? {
    guard position < end, text[position] == UInt8(ascii: "\"") else { return nil }
    position &+= 1
    let start = position
    while position < end {
      switch text[position] {
      case UInt8(ascii: "\""):
        position &+= 1
        return start..<position &- 1
      case UInt8(ascii: "\\"): position &+= 2
      case 0x0a: return nil
      default: position &+= 1
      }
    }
    return nil
  }

  private mutating func skipNested(_ text: Span<UInt8>) -> Bool {
    var depth = 0
    while position < end {
      switch text[position] {
      case UInt8(ascii: "\""):
        guard string(text) != nil else { return false }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
      case 0x0a: return false
      default: break
      }
      position &+= 1
      if depth == 0 { return true }
    }
    return false
  }
}
