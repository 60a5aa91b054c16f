import SondeAddresses
import SondeLogs
import SondeRecords
import SondeSummary
import SondeSystem

/// What a slice of a log has for a summary: the addresses of the lines that count, and their times.
struct CountedSlice: Sendable {
  /// The addresses; first those of a line that began before the slice, whether it counts or not.
  private(set) var found = FoundAddresses()
  /// Of each address where it was met; nothing where it is chosen by the slice already.
  private(set) var places: [Place] = []
  /// Whether it is of a capture.
  private(set) var isCaptured = false
  /// The line ends in the slice; 0 where nobody wants to know.
  private(set) var lineEnds = 0
  /// How many they are.
  private(set) var leading = 0
  /// The hits that were left out.
  private(set) var leftOut = LeftOut()
  /// The hits of the lines that begin in the slice.
  private(set) var timeline: Timeline
  /// The time of the line that the slice ends in.
  private(set) var last = LineTime.unknown

  /// Where an address was met.
  struct Place: Sendable {
    /// The time of its line in milliseconds since 1970 UTC; `nil` where it has none.
    fileprivate(set) var time: Int64?
    /// Its line, the slice's first being 0; 0 also where nobody wants to know.
    let line: UInt32
  }

  /// What is known of the time of a line.
  enum LineTime: Sendable {
    /// The line began before the slice.
    case unknown
    /// Milliseconds since 1970 UTC; `nil` where it has none.
    case known(Int64?)
  }

  /// Whether nothing of it counts before its input has ended, which tells of the traffic.
  var waitsForEnd: Bool { isCaptured && rules.awaitedTraffic != nil }

  private let rules: SummaryRules
  private let choosesLater: Bool
  private var parser: LineTimeParser

  /// Takes what counts of a slice that has been searched.
  init(_ slice: LogSlice, _ rules: SummaryRules) {
    (self.rules, choosesLater) = (rules, rules.choosesLater)
    // A time without a year is not in the future, and a log that is followed goes on.
    parser = LineTimeParser(zone: rules.zone, now: Timestamp.now.milliseconds)
    timeline = Timeline(zone: rules.zone)
    let input = UInt32(truncatingIfNeeded: slice.input)
    if let captured = slice.captured {
      last = .known(nil)
      isCaptured = true
      take(captured, slice.times, ofInput: input)
      return
    }
    found.reserve(slice.matches.count)
    let text = slice.bytes.span.extracting(0..<slice.count)
    let lines = rules.wantsLines ? slice.lines() : SliceLines()
    lineEnds = lines.ends
    take(slice.matches.span, of: text, from: slice.start, lines.numbers, ofInput: input)
    noteLast(of: text, from: slice.start, to: slice.cut.offset)
  }

  private mutating func take(
    _ matches: Span<LogMatch>,
    of text: Span<UInt8>,
    from start: Int,
    _ lines: [UInt32],
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
      if isExcluded(match.address, match.zone, of: text, input) { continue }
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
      if choosesLater { note(line, lines.isEmpty ? 0 : lines[index]) }
    }
    count(hits, line)
  }

  private mutating func note(_ line: LineTime?, _ number: UInt32) {
    var place = Place(line: number)
    if case .known(let time) = line { place.time = time }
    places.append(place)
  }

  /// Notes whether an address is left out by this slice alone.
  private mutating func isExcluded(
    _ address: Address,
    _ zone: Range<Int>?,
    of text: Span<UInt8>,
    _ input: UInt32
  ) -> Bool {
    guard !choosesLater, rules.filter != nil else { return false }
    var record = Record(address: address, status: .ok)
    record.place.input = input
    if let zone {
      record[.item] = TextRange(offset: UInt32(zone.lowerBound), count: UInt32(zone.count))
    }
    guard rules.excludes(record, bytes: text) else { return false }
    leftOut.excluded += 1
    return true
  }

  /// Takes the addresses of packets, each with the time of its packet.
  private mutating func take(_ addresses: [Address], _ times: [Int64], ofInput input: UInt32) {
    let none: [UInt8] = []
    for (address, time) in zip(addresses, times) {
      if isExcluded(address, nil, of: none.span, input) { continue }
      guard rules.admits(time) else {
        leftOut.note(1, at: time, rules)
        continue
      }
      found.addresses.append(address)
      if choosesLater { note(.known(time), 0) } else { timeline.count(1, at: time) }
    }
  }

  private mutating func count(_ hits: Int, _ line: LineTime?) {
    if hits > 0, !choosesLater, case .known(let time?) = line { timeline.count(hits, at: time) }
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
    if !rules.admits(time) {
      leftOut.note(leading, at: time, rules)
      found.removeFirst(leading)
      if choosesLater { places.removeFirst(leading) }
    } else if choosesLater {
      for index in 0..<leading { places[index].time = time }
    } else if let time, leading > 0 {
      timeline.count(leading, at: time)
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
