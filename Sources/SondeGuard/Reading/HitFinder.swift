import SondeAddresses
package import SondeInputs
package import SondeLogs
package import SondeRecords
package import SondeSystem

/// What is known of a file from its lines so far.
package struct LineContext: Sendable {
  /// The time of its last line that had one, in milliseconds since 1970 UTC.
  package var lastTime: Int64?
  package var picker: LinePicker?

  package init(_ pick: Pick, _ findings: PickFindings) {
    picker = pick == .all ? nil : LinePicker(pick, findings)
  }
}

/// Finds the hits in lines.
package struct HitFinder: Sendable {
  /// How long a time parser's present holds, in milliseconds.
  private static let longestPresent: Int64 = 60_000

  private let zone: TimeZoneRules
  private let questions: GuardQuestions
  private var parser: LineTimeParser
  private var parserTime: Int64
  private var matches: [LogMatch] = []

  /// Creates a finder of the hits that may meet a condition; `now` is in milliseconds since 1970 UTC.
  package init(_ questions: GuardQuestions, zone: TimeZoneRules, now: Int64) {
    (self.questions, self.zone, parserTime) = (questions, zone, now)
    parser = LineTimeParser(zone: zone, now: now)
  }

  /// The time of a line, else that of the one before.
  package mutating func time(
    of line: Span<UInt8>,
    after context: inout LineContext,
    now: Int64
  ) -> Int64? {
    if now - parserTime > Self.longestPresent || now < parserTime {
      (parser, parserTime) = (LineTimeParser(zone: zone, now: now), now)
    }
    if let time = parser.time(in: line, from: 0) { context.lastTime = time }
    return context.lastTime
  }

  /// The hits in a line, without its end, that may count.
  package mutating func hits(
    in line: Span<UInt8>,
    of input: String,
    at time: Int64,
    _ context: inout LineContext
  ) -> [GuardHit] {
    matches.removeAll(keepingCapacity: true)
    searchLog(line, into: &matches)
    context.picker?.pick(&matches, of: line, in: 0..<line.count)
    guard !matches.isEmpty else { return [] }
    let values = questions.pattern?.values(in: line) ?? []
    let findings = questions.findings(ofLine: line, at: time, values, in: input)
    let text = line.repaired(maximum: GuardHit.longestText)
    return matches.compactMap { match in
      let zone = match.zone.map { line.extracting($0).repaired(maximum: 256) } ?? ""
      var hit = GuardHit(
        time: time,
        address: match.address,
        input: input,
        text: text
      )
      (hit.zone, hit.findings) = (zone, findings)
      hit.values = values.map { String(decoding: $0, as: UTF8.self) }
      return questions.verdict(beforeAsking: hit) == .no ? nil : hit
    }
  }
}
