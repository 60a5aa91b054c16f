import SondeAddresses
import SondeInputs
import SondeLogs
import SondeRecords
import SondeSummary
import SondeSystem

/// The content of a log's slice for a summary: the addresses of included lines, and their times.
struct CountedSlice: Sendable {
  /// The addresses; first those of a line that began before the slice, included or not.
  private(set) var found = FoundAddresses()
  /// The places of the addresses, as far as the counter needs them.
  private(set) var places = CountedPlaces()
  /// What the line of each address claims; empty if not needed.
  private var claims: [CrawlerClaims] = []
  private(set) var isCaptured = false
  /// The number of line ends in the slice; 0 if not needed.
  private(set) var lineEnds = 0
  /// The number of addresses in a line that began before the slice.
  private(set) var leading = 0
  private(set) var leftOut = LeftOut()
  /// The hits of lines that begin in the slice.
  private(set) var timeline: Timeline
  /// The time of the slice's last line.
  private(set) var last = LineTime.unknown
  /// The time that holds behind the slice; `nil` if no line of it has one, or if it is not needed.
  private(set) var lastMoment: Int64?

  enum LineTime: Sendable {
    /// Unknown, because the line began before the slice.
    case unknown
    /// Milliseconds since 1970 UTC; `nil` if it has none.
    case known(Int64?)
  }

  private let rules: SummaryRules
  private let choosesLater: Bool
  private let wantsPlaces: Bool
  private let (readsTexts, readsLines): (Bool, Bool)
  private var parser: LineTimeParser
  /// The times that hold in lines, if answers depend on them.
  private var clock: LineClock?

  init(_ slice: LogSlice, _ rules: SummaryRules) {
    (self.rules, choosesLater) = (rules, rules.choosesLater)
    wantsPlaces = rules.wantsPlaces
    (readsTexts, readsLines) = (rules.readsTexts, rules.readsLines)
    // A time without a year is not in the future, and a followed log continues.
    parser = LineTimeParser(zone: rules.zone)
    timeline = Timeline(zone: rules.zone)
    if rules.periods != nil { clock = LineClock(parser, from: slice.start) }
    let input = UInt32(truncatingIfNeeded: slice.input)
    if let captured = slice.captured {
      last = .known(nil)
      isCaptured = true
      take(captured, ofInput: input)
      return
    }
    found.addresses.reserveCapacity(slice.matches.count)
    let text = slice.bytes.span.extracting(0..<slice.count)
    let lines = rules.wantsLines ? slice.lines() : SliceLines()
    lineEnds = lines.ends
    take(slice.matches.span, of: text, from: slice.start, lines.numbers, ofInput: input)
    noteLast(of: text, from: slice.start, to: slice.cut.offset)
    lastMoment = clock?.time(atEndOf: text.extracting(0..<slice.cut.offset))
  }

  private mutating func take(
    _ matches: Span<LogMatch>,
    of text: Span<UInt8>,
    from start: Int,
    _ lines: [UInt32],
    ofInput input: UInt32
  ) {
    var line = start > 0 && text[start &- 1] != 0x0a ? LineTime.unknown : nil
    var (behind, hits, lineText) = (start, 0, [FilterFindings]?.none)
    var claimed: CrawlerClaims = []
    var moment: Int64?
    for index in matches.indices {
      let match = matches[index]
      let begin = text.lineStart(of: match.start, from: behind)
      behind = match.end
      if line == nil || begin != nil {
        count(hits, line)
        let time = parser.time(in: text, from: begin ?? start)
        (line, hits) = (.known(time), 0)
        moment = clock?.time(in: text, from: begin ?? start, own: .some(time)) ?? nil
      }
      if line == nil || begin != nil || index == 0 {
        let bounds = (begin ?? start)..<lineEnd(of: text, after: match)
        lineText = findings(ofLine: text, in: bounds)
        claimed = rules.claims?(text.extracting(bounds)) ?? []
      }
      let time: Int64? = if case .known(let time) = line { time } else { nil }
      let place = SondeRecords.Place(input: input, time: time)
      if isExcluded(match.address, match.zone, of: text, at: place, lineText) { continue }
      switch line {
      case .known(let time):
        guard rules.admits(time) else {
          leftOut.note(1, at: time, since: rules.since)
          continue
        }
        hits &+= 1
      case .unknown, nil: leading &+= 1
      }
      found.append(match, of: text)
      if rules.claims != nil { claims.append(claimed) }
      if wantsPlaces { note(line, lines.isEmpty ? 0 : lines[index], lineText, at: moment) }
    }
    count(hits, line)
  }

  /// What the text of a match's line contributes to each condition; `nil` if it is not needed.
  private func findings(
    ofLine text: Span<UInt8>,
    in bounds: Range<Int>
  ) -> [FilterFindings]? {
    guard readsTexts else { return nil }
    let line = text.extracting(bounds)
    return rules.judge?.findings(ofText: line)
      ?? rules.filter.map { [$0.findings(ofText: line)] }
  }

  /// The end of a match's line without its line end; that of the match if it is not needed.
  private func lineEnd(of text: Span<UInt8>, after match: LogMatch) -> Int {
    guard readsLines else { return match.end }
    let end = text.firstNewline(from: match.end) ?? text.count
    return end > match.end && text[end - 1] == 0x0d ? end - 1 : end
  }

  private mutating func note(
    _ line: LineTime?,
    _ number: UInt32,
    _ text: [FilterFindings]?,
    packet: UInt64? = nil,
    at moment: Int64? = nil
  ) {
    let time: Int64? = if case .known(let time) = line { time } else { nil }
    places.append(
      CountedPlaces.Place(time: time, moment: moment, line: number, text: text, packet: packet)
    )
  }

  /// Records whether the slice itself excludes an address.
  private mutating func isExcluded(
    _ address: Address,
    _ zone: Range<Int>?,
    of text: Span<UInt8>,
    at place: SondeRecords.Place,
    _ lineText: [FilterFindings]? = nil
  ) -> Bool {
    guard !choosesLater, rules.filter != nil else { return false }
    var record = Record(address: address, status: .ok)
    record.place = place
    if let zone {
      record[.item] = TextRange(offset: UInt32(zone.lowerBound), count: UInt32(zone.count))
    }
    guard rules.excludes(record, bytes: text, lineText?.first) else { return false }
    leftOut.excluded += 1
    return true
  }

  /// Adds the addresses of packets with their times.
  private mutating func take(_ captured: CapturedAddresses, ofInput input: UInt32) {
    let none: [UInt8] = []
    for (index, address) in captured.addresses.enumerated() {
      let time = captured.times[index]
      let place = SondeRecords.Place(input: input, time: time)
      if isExcluded(address, nil, of: none.span, at: place) { continue }
      guard rules.admits(time) else {
        leftOut.note(1, at: time, since: rules.since)
        continue
      }
      found.addresses.append(address)
      if wantsPlaces { note(.known(time), 0, nil, packet: captured.lengths[index], at: time) }
      if !choosesLater { timeline.count(1, at: time) }
    }
  }

  private mutating func count(_ hits: Int, _ line: LineTime?) {
    if hits > 0, !choosesLater, case .known(let time?) = line { timeline.count(hits, at: time) }
  }

  /// Records the time of a line that continues after the slice.
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
  /// What the first line of each address claims, unless it claims nothing.
  var firstClaims: [Address: CrawlerClaims] {
    guard claims.contains(where: { !$0.isEmpty }) else { return [:] }
    var first: [Address: CrawlerClaims] = [:]
    for (address, claims) in zip(found.addresses, claims) where first[address] == nil {
      first[address] = claims
    }
    return first.filter { !$0.value.isEmpty }
  }

  /// Decides about the addresses of the line that began before the slice, by its time.
  mutating func settleLeading(_ time: Int64?) {
    if !rules.admits(time) {
      leftOut.note(leading, at: time, since: rules.since)
      found.removeFirst(leading)
      claims.removeFirst(min(leading, claims.count))
      if wantsPlaces { places.removeFirst(leading) }
    } else {
      if wantsPlaces { places.setTime(of: 0..<leading, to: time) }
      if !choosesLater, let time, leading > 0 { timeline.count(leading, at: time) }
    }
    leading = 0
  }

  /// Sets the periods of answers; `moment` is the time that holds before the slice.
  mutating func settlePeriods(after moment: Int64?) {
    guard let periods = rules.periods else { return }
    places.setPeriods(after: moment, periods)
  }
}

extension Span<UInt8> {
  /// The start of the line with a position, if it is after another position.
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
