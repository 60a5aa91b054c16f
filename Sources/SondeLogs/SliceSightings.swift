import SondeAddresses
import SondeInputs
import SondeRecords
import SondeSystem

/// What is needed of the lines or packets of a slice's addresses, found on the thread that searched
/// it.
struct SliceSightings: Sendable {
  /// The time of each address in milliseconds since 1970 UTC; empty if not needed.
  private(set) var times: [Int64?] = []
  /// The time of each address's answer, if one is known of a line of the slice up to its own; empty
  /// if not needed.
  private var moments: [Int64?] = []
  /// The time that holds behind the slice; `nil` if no line of it has one.
  private(set) var lastMoment: Int64?
  /// For each address, what the text of its line contributes to the condition; empty if not needed.
  private(set) var texts: [FilterFindings] = []
  /// The texts of lines to keep, and for each address the number of its line; empty if not needed.
  private var kept: [[UInt8]] = []
  private var lines: [Int] = []
  /// For each address, the crawlers that its line claims to come from; empty if not needed.
  private var claims: [CrawlerClaims] = []
  /// The length of each address's packet; empty if the slice is of no capture.
  private var lengths: [UInt64?] = []

  init() {}

  /// Of these, only what the lines of addresses claim is known.
  init(claims: [CrawlerClaims]) { self.claims = claims }

  init(_ slice: LogSlice, _ sightings: Sightings) {
    if let captured = slice.captured {
      times = captured.times.map { $0 }
      if sightings.rules.periods != nil { moments = times }
      lengths = captured.lengths
      return
    }
    guard sightings.rules.readsLines else { return }
    var parser = LineTimeParser(zone: sightings.rules.zone)
    let text = slice.bytes.span.extracting(0..<slice.count)
    let (rules, count) = (sightings.rules, slice.matches.count)
    let isDated = rules.periods != nil
    var clock = LineClock(parser, from: slice.start)
    defer {
      if isDated { lastMoment = clock.time(atEndOf: text.extracting(0..<slice.cut.offset)) }
    }
    if rules.findsTimes { times.reserveCapacity(count) }
    let judgesTexts = rules.filter?.fields.contains(.text) ?? false
    var (end, time, found): (Int, Int64?, FilterFindings?) = (-1, nil, nil)
    var (claimed, moment): (CrawlerClaims, Int64?) = ([], nil)
    for match in slice.matches {
      if match.start > end {
        let start = text.lineStart(before: match.start, notBefore: max(end + 1, slice.start))
        end = text.firstNewline(from: match.end) ?? text.count
        if rules.findsTimes { time = parser.time(in: text, from: start) }
        if isDated {
          moment = clock.time(in: text, from: start, own: rules.findsTimes ? .some(time) : nil)
        }
        if judgesTexts || rules.keepsTexts || rules.claims != nil {
          let line = text.extracting(start..<text.contentEnd(from: start, to: end))
          if let find = rules.claims { claimed = find(line) }
          if judgesTexts { found = rules.filter?.findings(ofText: line) }
          if rules.keepsTexts { kept.append(sightings.kept(line)) }
        }
      }
      if rules.findsTimes { times.append(time) }
      if isDated { moments.append(moment) }
      if let found { texts.append(found) }
      if rules.claims != nil { claims.append(claimed) }
      if rules.keepsTexts { lines.append(kept.count - 1) }
    }
  }

  /// Whether they are of lines, not of packets.
  var isOfText: Bool { lengths.isEmpty }

  func time(of index: Int) -> Int64? { times.isEmpty ? nil : times[index] }

  func moment(of index: Int) -> Int64? { moments.isEmpty ? nil : moments[index] }

  func text(of index: Int) -> FilterFindings? { texts.isEmpty ? nil : texts[index] }

  func line(of index: Int) -> [UInt8]? { lines.isEmpty ? nil : kept[lines[index]] }

  func claims(of index: Int) -> CrawlerClaims { claims.isEmpty ? [] : claims[index] }

  func length(of index: Int) -> UInt64? { lengths.isEmpty ? nil : lengths[index] }
}

extension Span<UInt8> {
  /// The start of the line with a position.
  fileprivate func lineStart(before place: Int, notBefore bound: Int) -> Int {
    var start = place
    while start > bound, self[start - 1] != 0x0a { start -= 1 }
    return start
  }

  /// The end of a line without a return before its line feed.
  fileprivate func contentEnd(from start: Int, to end: Int) -> Int {
    end > start && self[end - 1] == 0x0d ? end - 1 : end
  }
}
