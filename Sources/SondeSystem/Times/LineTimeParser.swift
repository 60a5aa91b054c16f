/// Finds the times of log lines: the first one in a line, in any of the usual formats.
///
/// These are RFC 3339 and ISO 8601, also in two columns; the common and combined log; the error
/// logs of nginx and Apache; syslog (RFC 3164, RFC 5424); HAProxy; seconds or milliseconds since
/// 1970 at the start of the line; and in JSON lines one of `JSONTime.members`. A time without a
/// zone is in the given zone.
///
/// It is optimised for consecutive lines with similar times, whose hour and zone are cached.
public struct LineTimeParser: Sendable {
  /// How far the clock that dates a line, or its zone, may be ahead of this machine's, in milliseconds.
  public static let longestSkew: Int64 = 86_400_000
  /// The number of bytes of a line that are searched.
  public static let reach = 16 << 10

  /// The time in milliseconds since 1970 UTC that a time without a year must not exceed.
  private var now: Int64
  /// How far that lies ahead of the clock; `nil` if it stays.
  private let lead: Int64?
  private let zone: TimeZoneRules
  /// The range of local seconds in which the zone's offset is known to be constant.
  private var certain: Range<Int64> = 0..<0
  private var certainOffset: Int64 = 0
  private var numerals = DateNumerals()
  /// The last time without a year of syslog.
  private var lastStamp = SyslogStamp()
  /// ``now`` in the zone, as seconds since 1970-01-01 00:00, and its year.
  private var localNow: Int64 = 0
  private var localYear = 0

  /// Creates a parser; `zone` is for times without one.
  ///
  /// A time without a year is the latest one that does not lie more than `lead` milliseconds ahead of
  /// the clock when it is read.
  public init(zone: TimeZoneRules, lead: Int64 = 0) {
    (self.zone, self.lead, now) = (zone, lead, Timestamp.now.milliseconds + lead)
    setLocalNow()
  }

  /// Creates a parser that takes another time for the current one, in milliseconds since 1970 UTC.
  init(zone: TimeZoneRules, now: Int64) {
    (self.zone, self.now, lead) = (zone, now, nil)
    setLocalNow()
  }

  private mutating func setLocalNow() {
    let here = now.dividedDown(by: 1000)
    localNow = here + zone.stretch(at: here).offset
    localYear = CivilDate(number: localNow.dividedDown(by: secondsOfDay)).year
  }

  /// Reads the clock, for lines may have been written since.
  private mutating func renewNow() {
    guard let lead else { return }
    let present = Timestamp.now.milliseconds + lead
    guard present != now else { return }
    now = present
    setLocalNow()
  }

  /// Finds the time of the line at `start`, in milliseconds since 1970 UTC.
  ///
  /// The line ends at the next line feed; `nil` if its first ``reach`` bytes contain no time.
  public mutating func time(in text: Span<UInt8>, from start: Int) -> Int64? {
    let end = min(text.count, start &+ Self.reach)
    var first = start
    if end &- first >= 3, text[first] == 0xef, text[first &+ 1] == 0xbb, text[first &+ 2] == 0xbf {
      first &+= 3
    }
    while first < end, text[first].isBlank { first &+= 1 }
    guard first < end else { return nil }
    switch text[first] {
    case UInt8(ascii: "{"):
      if let time = jsonTime(text, first, end) { return time }
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      if let number = EpochNumber(text, first, end) { return number.milliseconds }
    default: break
    }
    return search(text, first, end, isLine: true)
  }

  /// Parses a text that is or begins with a time, in milliseconds since 1970 UTC.
  public mutating func time(of text: Span<UInt8>) -> Int64? {
    if let number = EpochNumber(text, 0, text.count) { return number.milliseconds }
    return search(text, 0, text.count, isLine: false)
  }

  /// The first time in a range; only at the start of a line, it may have no year.
  private mutating func search(
    _ text: Span<UInt8>,
    _ start: Int,
    _ end: Int,
    isLine: Bool
  ) -> Int64? {
    if isLine, let time = syslogTime(text, start, end) { return time }
    var position = start
    var mayBegin = true
    while position < end {
      let byte = text[position]
      if byte.isDecimal {
        if mayBegin, let found = numerals.read(text, position, end) { return moment(of: found) }
        repeat { position &+= 1 } while position < end && text[position].isDecimal
        mayBegin = false
        continue
      }
      if byte == 0x0a { return nil }
      if mayBegin, byte.isUppercase, let found = MonthName.Stamp(text, position, end),
        found.date.year != 0, found.date.isValid
      {
        return moment(of: found.time)
      }
      mayBegin = byte.isBeforeTime
      position &+= 1
    }
    return nil
  }

  /// The time at the start of a syslog line (RFC 3164), after an optional priority.
  private func syslogStart(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var position = start
    if text[position] == UInt8(ascii: "<") {
      position &+= 1
      while position < end, text[position].isDecimal { position &+= 1 }
      guard position < end, text[position] == UInt8(ascii: ">") else { return start }
      position &+= 1
    }
    // Cisco's mark of an unset clock.
    if position < end, text[position] == UInt8(ascii: "*") { position &+= 1 }
    return position
  }

  private mutating func syslogTime(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Int64? {
    let position = syslogStart(text, start, end)
    if lastStamp.stands(in: text, at: position, end),
      bracketed(text, lastStamp.end(at: position), end) == nil
    {
      return lastStamp.time
    }
    guard position < end, text[position].isUppercase,
      var stamp = MonthName.Stamp(text, position, end)
    else { return nil }
    if stamp.date.year == 0 {
      // HAProxy, which logs by syslog, includes the year, so its date is used instead of
      // syslog's.
      if let full = bracketed(text, stamp.time.end, end) { return moment(of: full) }
      guard let year = lastYear(of: stamp) else { return nil }
      stamp.date.year = year
      let time = moment(of: stamp.time)
      lastStamp = SyslogStamp(in: text, at: position, end, stamp.time, is: time)
      return time
    }
    return stamp.date.isValid ? moment(of: stamp.time) : nil
  }

  /// The time in brackets shortly after a position: `[06/Feb/2009:12:14:14.655]`.
  private mutating func bracketed(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> FoundTime? {
    let near = min(end, start &+ 128)
    var position = start
    while let bracket = text.position(of: UInt8(ascii: "["), from: position, to: near),
      bracket &+ 3 < near
    {
      if text[bracket &+ 3] == UInt8(ascii: "/") {
        guard text.position(of: 0x0a, from: start, to: bracket) == nil else { return nil }
        return numerals.read(text, bracket &+ 1, end)
      }
      position = bracket &+ 1
    }
    return nil
  }

  /// The latest year in which a time is not in the future.
  private mutating func lastYear(of stamp: MonthName.Stamp) -> Int? {
    renewNow()
    // There may be no 29 February for eight years.
    for candidate in stride(from: localYear + 1, through: localYear - 8, by: -1) {
      var stamp = stamp
      stamp.date.year = candidate
      guard stamp.date.isValid else { continue }
      let found = stamp.time
      // No zone is two days from another.
      if found.local > localNow + 2 * secondsOfDay { continue }
      if found.local < localNow - 2 * secondsOfDay { return candidate }
      if zone.moment(at: found.local) * 1000 + found.milliseconds <= now { return candidate }
    }
    return nil
  }

  private mutating func jsonTime(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Int64? {
    var best: (rank: Int, time: Int64)?
    var members = JSONLine(from: start, to: end)
    while let member = members.next(in: text) {
      guard let rank = JSONTime.rank(of: member.name, in: text), rank < best?.rank ?? .max else {
        continue
      }
      let time =
        JSONTime.hasMicroseconds(rank)
        ? Self.microseconds(member.value, in: text) : time(ofValue: member.value, in: text)
      if let time { best = (rank, time) }
      if rank == 0, best?.rank == 0 { break }
    }
    return best?.time
  }

  /// The milliseconds of a number of microseconds since 1970 UTC, or of a string of one.
  private static func microseconds(_ value: Range<Int>, in text: Span<UInt8>) -> Int64? {
    let isString = text[value.lowerBound] == UInt8(ascii: "\"")
    let digits = isString ? value.dropFirst().dropLast() : value
    guard 15...16 ~= digits.count, digits.allSatisfy({ text[$0].isDecimal }) else { return nil }
    let number = digits.reduce(Int64(0)) { $0 * 10 + Int64(text[$1] - UInt8(ascii: "0")) }
    let milliseconds = number / 1000
    let year = CivilDate(number: milliseconds.dividedDown(by: 1000 * secondsOfDay)).year
    return CivilDate.years.contains(year) ? milliseconds : nil
  }

  private mutating func time(ofValue value: Range<Int>, in text: Span<UInt8>) -> Int64? {
    guard text[value.lowerBound] == UInt8(ascii: "\"") else {
      guard let number = EpochNumber(text, value.lowerBound, value.upperBound),
        number.end == value.upperBound
      else { return nil }
      return number.milliseconds
    }
    let inner = value.lowerBound + 1..<value.upperBound - 1
    guard inner.contains(where: { text[$0] == UInt8(ascii: "\\") }) else {
      return time(of: text.extracting(inner))
    }
    // Only slashes are escaped in a time.
    let plain = inner.map { text[$0] }.filter { $0 != UInt8(ascii: "\\") }
    return time(of: plain.span)
  }

  /// The moment of a time, in its own zone or the given one.
  @inline(__always)
  private mutating func moment(of found: FoundTime) -> Int64 {
    if let offset = found.offset { return (found.local &- offset) &* 1000 &+ found.milliseconds }
    if !certain.contains(found.local) { learn(found.local) }
    if certain.contains(found.local) {
      return (found.local &- certainOffset) &* 1000 &+ found.milliseconds
    }
    return zone.moment(at: found.local) * 1000 + found.milliseconds
  }

  /// Determines the range around a time with a constant offset: a day from its changes.
  private mutating func learn(_ local: Int64) {
    let moment = zone.moment(at: local)
    let stretch = zone.stretch(at: moment)
    let (lower, upper) = (stretch.range.lowerBound, stretch.range.upperBound)
    let start = lower == .min ? .min : lower + 2 * secondsOfDay
    let end = upper == .max ? .max : upper - 2 * secondsOfDay
    guard start < end, start <= moment, moment < end else { return }
    certainOffset = stretch.offset
    certain =
      (start == .min ? .min : start + certainOffset)..<(end == .max ? .max : end + certainOffset)
  }
}

/// A time found in a line.
struct FoundTime: Equatable {
  /// The local time, as seconds since 1970-01-01 00:00.
  var local: Int64
  /// The milliseconds in addition to the seconds.
  var milliseconds: Int64
  /// The offset from UTC in seconds; `nil` if the line has none.
  var offset: Int64?
  /// The position after it.
  var end: Int
}

extension UInt8 {
  @inline(__always) var isDecimal: Bool { self &- UInt8(ascii: "0") < 10 }
  @inline(__always) var isUppercase: Bool { self &- UInt8(ascii: "A") < 26 }
  @inline(__always) var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
  @inline(__always) var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// Whether a time may begin after this byte.
  @inline(__always)
  var isBeforeTime: Bool {
    switch self {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "["), UInt8(ascii: "("),
      UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"),
      UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: "|"):
      true
    default: false
    }
  }
}
