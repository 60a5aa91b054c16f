import Addresses
import Records
import Summary

/// What a slice of a log has for a summary: the addresses of the lines that count, and their times.
struct CountedSlice: Sendable {
  /// The addresses; first those of a line that began before the slice, whether it counts or not.
  private(set) var found = FoundAddresses()
  /// How many they are.
  private(set) var leading = 0
  /// The hits that were left out.
  private(set) var leftOut = LeftOut()
  /// The hits of the lines that begin in the slice.
  private(set) var timeline: Timeline
  /// The time of the line that the slice ends in.
  private(set) var last = LineTime.unknown

  /// What is known of the time of a line.
  enum LineTime: Sendable {
    /// The line began before the slice.
    case unknown
    /// Milliseconds since 1970 UTC; `nil` where it has none.
    case known(Int64?)
  }

  private let rules: SummaryRules
  private var parser: LineTimeParser

  /// Takes what counts of a slice that has been searched.
  init(_ slice: LogSlice, _ rules: SummaryRules) {
    self.rules = rules
    // A time without a year is not in the future, and a log that is followed goes on.
    parser = LineTimeParser(zone: rules.zone, now: Timestamp.now.milliseconds)
    timeline = Timeline(zone: rules.zone)
    let input = UInt32(truncatingIfNeeded: slice.input)
    if let captured = slice.captured {
      last = .known(nil)
      take(captured, slice.times, ofInput: input)
      return
    }
    found.reserve(slice.matches.count)
    let text = slice.bytes.span.extracting(0..<slice.count)
    take(slice.matches.span, of: text, from: slice.start, ofInput: input)
    noteLast(of: text, from: slice.start, to: slice.cut.offset)
  }

  private mutating func take(
    _ matches: Span<LogMatch>,
    of text: Span<UInt8>,
    from start: Int,
    ofInput input: UInt32
  ) {
    var line = start > 0 && text[start &- 1] != 0x0a ? LineTime.unknown : nil
    var (behind, hits) = (start, 0)
    for index in matches.indices {
      let match = matches[index]
      let begin = text.lineStart(of: match.start, from: behind)
      behind = match.end
      if line == nil || begin != nil {
        count(hits, line)
        (line, hits) = (.known(parser.time(in: text, from: begin ?? start)), 0)
      }
      if rules.excludes(match.address, ofInput: input) {
        leftOut.excluded += 1
        continue
      }
      switch line {
      case .known(let time):
        guard rules.admits(time) else {
          leftOut.note(1, at: time, rules)
          continue
        }
        hits &+= 1
      case .unknown, nil: leading &+= 1
      }
      found.append(match, of: text)
    }
    count(hits, line)
  }

  /// Takes the addresses of packets, each with the time of its packet.
  private mutating func take(_ addresses: [Address], _ times: [Int64], ofInput input: UInt32) {
    for (address, time) in zip(addresses, times) {
      if rules.excludes(address, ofInput: input) {
        leftOut.excluded += 1
        continue
      }
      guard rules.admits(time) else {
        leftOut.note(1, at: time, rules)
        continue
      }
      timeline.count(1, at: time)
      found.addresses.append(address)
    }
  }

  private mutating func count(_ hits: Int, _ line: LineTime?) {
    if hits > 0, case .known(let time?) = line { timeline.count(hits, at: time) }
  }

  /// Notes the time of the line that goes on behind the slice, if one does.
  private mutating func noteLast(of text: Span<UInt8>, from start: Int, to end: Int) {
    guard end > start, text[end &- 1] != 0x0a else {
      last = .known(nil)
      return
    }
    if let begin = text.lineStart(of: end, from: start) {
      last = .known(parser.time(in: text, from: begin))
    } else if start == 0 || text[start &- 1] == 0x0a {
      last = .known(parser.time(in: text, from: start))
    }
  }
}

extension CountedSlice {
  /// Decides about the addresses of the line that began before the slice.
  ///
  /// - Parameter time: Its time; `nil` where it has none.
  mutating func settleLeading(_ time: Int64?) {
    if rules.admits(time) {
      if let time, leading > 0 { timeline.count(leading, at: time) }
    } else {
      leftOut.note(leading, at: time, rules)
      found.removeFirst(leading)
    }
    leading = 0
  }
}

extension Span<UInt8> {
  /// Where the line begins that a place lies in, if that is behind another place.
  @inline(__always)
  fileprivate func lineStart(of place: Int, from bound: Int) -> Int? {
    var begin = place
    while begin > bound {
      if self[begin &- 1] == 0x0a { return begin }
      begin &-= 1
    }
    return nil
  }
}
