/// Parses dates that begin with a digit, followed by a time.
///
/// It caches the last date with its hour, which the next line most likely repeats.
struct DateNumerals: Sendable {
  /// `17/May/2015:10`, as two overlapping words.
  private var common = KnownHour()
  /// `2015-05-17T10`, as two overlapping words.
  private var dashed = KnownHour()

  private struct KnownHour: Sendable {
    var (first, second): (UInt64, UInt64) = (0, 0)
    /// The hour, as seconds since 1970-01-01 00:00; invalid before the first.
    var start: Int64 = 0
  }

  /// Parses the time at a digit; `nil` if there is none.
  @inline(__always)
  mutating func read(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> FoundTime? {
    guard start &+ 14 < end else { return nil }
    if text[start &+ 2] == UInt8(ascii: "/") { return readCommon(text, start, end) }
    let mark = text[start &+ 4]
    if mark == UInt8(ascii: "-") || mark == UInt8(ascii: "/") {
      return readDashed(text, start, end)
    }
    return text[start &+ 8] == UInt8(ascii: "T") ? readBasic(text, start, end) : nil
  }

  /// Parses `17/May/2015:10:05:03 +0000` of the common log, or HAProxy's without a zone and with a
  /// fraction.
  @inline(__always)
  private mutating func readCommon(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> FoundTime? {
    let (first, second) = (text.eightBytes(at: start), text.eightBytes(at: start &+ 6))
    if first != common.first || second != common.second {
      guard text[start &+ 6] == UInt8(ascii: "/"), text[start &+ 11] == UInt8(ascii: ":"),
        let day = text.decimal(start, 2), let month = MonthName(text, start &+ 3, end),
        let year = text.decimal(start &+ 7, 4), let hour = text.decimal(start &+ 12, 2)
      else { return nil }
      let date = CivilDate(year: year, month: month.number, day: day)
      guard date.isValid, hour < 24 else { return nil }
      (common.first, common.second) = (first, second)
      common.start = date.number * secondsOfDay + Int64(hour) * 3600
    }
    return ClockDigits.behindHour(text, start &+ 14, end)?.time(common.start, text, end)
  }

  /// Parses `2015-05-17T10:05:03.123+02:00`, also with a blank, a tab or a comma instead of `T`;
  /// with slashes for nginx's error log.
  @inline(__always)
  private mutating func readDashed(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> FoundTime? {
    let (first, second) = (text.eightBytes(at: start), text.eightBytes(at: start &+ 5))
    let separator = text[start &+ 10]
    if first != dashed.first || second != dashed.second {
      guard text[start &+ 7] == text[start &+ 4], separator.joinsDateAndTime,
        let year = text.decimal(start, 4), let month = text.decimal(start &+ 5, 2),
        let day = text.decimal(start &+ 8, 2), let hour = text.decimal(start &+ 11, 2)
      else { return nil }
      let date = CivilDate(year: year, month: month, day: day)
      guard date.isValid, hour < 24 else { return nil }
      (dashed.first, dashed.second) = (first, second)
      dashed.start = date.number * secondsOfDay + Int64(hour) * 3600
    }
    return ClockDigits.behindHour(
      text,
      start &+ 13,
      end,
      mayLackSeconds: separator | 0x20 == UInt8(ascii: "t"),
      // In comma-separated columns, the comma starts the next column.
      hasComma: separator != UInt8(ascii: ",")
    )?.time(dashed.start, text, end)
  }

  /// Parses `20150517T100503Z`, the basic format of ISO 8601.
  private func readBasic(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> FoundTime? {
    guard start &+ 15 <= end, let year = text.decimal(start, 4),
      let month = text.decimal(start &+ 4, 2), let day = text.decimal(start &+ 6, 2),
      let hour = text.decimal(start &+ 9, 2), let minute = text.decimal(start &+ 11, 2),
      let second = text.decimal(start &+ 13, 2)
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    guard date.isValid, hour < 24, minute < 60, second <= 60 else { return nil }
    var clock = ClockDigits(seconds: minute * 60 + second, end: start &+ 15)
    clock.readFraction(text, end)
    return clock.time(date.number * secondsOfDay + Int64(hour) * 3600, text, end)
  }
}

/// The minutes, seconds and fraction of a time.
struct ClockDigits {
  /// The seconds since the start of the hour.
  var seconds: Int
  var milliseconds = 0
  /// The position after the parsed text.
  var end: Int

  init(seconds: Int, end: Int) { (self.seconds, self.end) = (seconds, end) }

  /// Parses the text after the hour: `:05:03.123`.
  @inline(__always)
  static func behindHour(
    _ text: Span<UInt8>,
    _ start: Int,
    _ end: Int,
    mayLackSeconds: Bool = false,
    hasComma: Bool = true
  ) -> ClockDigits? {
    guard start &+ 3 <= end, text[start] == UInt8(ascii: ":"),
      let minute = text.decimal(start &+ 1, 2), minute < 60
    else { return nil }
    guard start &+ 6 <= end, text[start &+ 3] == UInt8(ascii: ":"),
      let second = text.decimal(start &+ 4, 2), second <= 60
    else {
      let isWhole = start &+ 3 >= end || text[start &+ 3] != UInt8(ascii: ":")
      let reading = ClockDigits(seconds: minute &* 60, end: start &+ 3)
      return mayLackSeconds && isWhole && reading.isWhole(text, end) ? reading : nil
    }
    var reading = ClockDigits(seconds: minute &* 60 &+ second, end: start &+ 6)
    reading.readFraction(text, end, hasComma: hasComma)
    return reading.isWhole(text, end) ? reading : nil
  }

  /// Parses `.123` or `,123`, ignoring digits beyond milliseconds.
  @inline(__always)
  mutating func readFraction(_ text: Span<UInt8>, _ limit: Int, hasComma: Bool = true) {
    guard end &+ 1 < limit,
      text[end] == UInt8(ascii: ".") || hasComma && text[end] == UInt8(ascii: ","),
      text[end &+ 1].isDecimal
    else { return }
    end &+= 1
    var unit = 100
    while end < limit, text[end].isDecimal {
      milliseconds &+= unit &* Int(text[end] &- UInt8(ascii: "0"))
      unit /= 10
      end &+= 1
    }
  }

  /// Whether no more digits follow, which would be part of something else.
  @inline(__always)
  private func isWhole(_ text: Span<UInt8>, _ limit: Int) -> Bool {
    end >= limit || !text[end].isDecimal
  }

  /// The time, with the zone that follows it, if any.
  @inline(__always)
  func time(_ hour: Int64, _ text: Span<UInt8>, _ limit: Int) -> FoundTime {
    let zone = ZoneText(text, end, limit)
    return FoundTime(
      local: hour &+ Int64(truncatingIfNeeded: seconds),
      milliseconds: Int64(truncatingIfNeeded: milliseconds),
      offset: zone?.offset,
      end: zone?.end ?? end
    )
  }
}

extension Span<UInt8> {
  /// A decimal number with a fixed number of digits; `nil` if there are other characters.
  @inline(__always)
  func decimal(_ start: Int, _ digits: Int) -> Int? {
    guard start &+ digits <= count else { return nil }
    var value = 0
    for index in start..<start &+ digits {
      let digit = self[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int(digit)
    }
    return value
  }

  /// Eight bytes as one word; they must be in bounds.
  @inline(__always)
  func eightBytes(at index: Int) -> UInt64 {
    precondition(index >= 0 && index &+ 8 <= count, "no eight bytes")
    return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
  }
}

extension UInt8 {
  /// Whether this may be between a date and its time.
  fileprivate var joinsDateAndTime: Bool {
    switch self {
    case UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " "), UInt8(ascii: "\t"),
      UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
