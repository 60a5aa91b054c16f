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
  private let questions: GuardQuestions
  private var parser: LineTimeParser
  private var matches: [LogMatch] = []
  /// The condition, with the name of the current input.
  private var when: Filter?
  private let dependsOnAddress: Bool
  /// The last verdict that depends on the line alone, since most lines have equal findings.
  private var last: (findings: FilterFindings, verdict: FilterVerdict)?

  /// Creates a finder of the hits that may meet a condition.
  package init(_ questions: GuardQuestions, zone: TimeZoneRules) {
    self.questions = questions
    when = questions.when
    dependsOnAddress = questions.when?.dependsOnAddress ?? false
    parser = LineTimeParser(zone: zone, lead: LineTimeParser.longestSkew)
  }

  /// The time of a line, else that of the one before.
  package mutating func time(
    of line: Span<UInt8>,
    after context: inout LineContext
  ) -> Int64? {
    if let time = parser.time(in: line, from: 0) { context.lastTime = time }
    return context.lastTime
  }

  /// Adds the hits in a line, without its end, that may count.
  package mutating func find(
    in line: ArraySlice<UInt8>,
    of input: String,
    at time: Int64,
    _ context: inout LineContext,
    into hits: inout [GuardHit]
  ) {
    matches.removeAll(keepingCapacity: true)
    searchLog(line.span, into: &matches)
    judge(line, of: input, at: time, &context, into: &hits)
  }

  /// Adds the hits in the last line of an input, which may count.
  package mutating func find(
    inLast line: ArraySlice<UInt8>,
    of source: TextLines,
    at time: Int64,
    _ context: inout LineContext,
    into hits: inout [GuardHit]
  ) {
    matches.removeAll(keepingCapacity: true)
    source.addAddresses(in: line, to: &matches)
    judge(line, of: source.name, at: time, &context, into: &hits)
  }

  private mutating func judge(
    _ line: ArraySlice<UInt8>,
    of input: String,
    at time: Int64,
    _ context: inout LineContext,
    into hits: inout [GuardHit]
  ) {
    // Of a line end of two bytes, the first is still there.
    let line = line.last == 0x0d ? line.dropLast() : line
    let bytes = line.span
    context.picker?.pick(&matches, of: bytes, in: 0..<bytes.count)
    guard !matches.isEmpty else { return }
    let values = questions.pattern?.values(in: bytes) ?? []
    if when != nil, when?.inputs.first != input { when?.inputs = [input] }
    let findings = when?.findings(ofLine: bytes, at: time, capturing: values)
    let verdict = verdict(byLineAlone: findings)
    // Most lines of most logs are not meant.
    if verdict == .no { return }
    for match in matches {
      hits.append(
        GuardHit(
          time: time,
          address: match.address,
          zone: match.zone.map { bytes.extracting($0).repaired(maximum: 256) } ?? "",
          input: input,
          line: line,
          values: values,
          findings: findings,
          verdict: verdict ?? .open
        )
      )
      guard verdict == nil else { continue }
      let last = hits.count - 1
      hits[last].verdict = questions.verdict(beforeAsking: hits[last])
      if hits[last].verdict == .no { hits.removeLast() }
    }
  }

  /// The verdict about all hits of a line; `nil` if their addresses matter.
  private mutating func verdict(byLineAlone findings: FilterFindings?) -> FilterVerdict? {
    guard let findings else { return .yes }
    guard !dependsOnAddress else { return nil }
    if last?.findings == findings { return last?.verdict }
    let verdict = when?.verdict(of: FilterFindings(), at: findings) ?? .yes
    last = (findings, verdict)
    return verdict
  }
}
