import SondeAddresses
import SondeFollow
package import SondeRecords
package import SondeSQLite
import SondeSystem
import SondeWeb

/// Reads followed files and judges their hits on a thread of its own, and owns the state.
///
/// What a step reads, what comes of it and the new positions are one transaction.
package actor GuardWork {
  /// The number of bytes that are read in a step.
  private static let step = 1 << 20
  /// The number of waiting hits that are judged together.
  private static let batch = 2048
  /// The bytes of waiting hits beyond which nothing is read.
  private static let mostWaiting = 1 << 30

  /// Waiting hits in order, and what to ask about.
  package struct Batch: Sendable {
    let hits: [(number: Int64, hit: GuardHit)]
    package let open: [SubjectKey]
  }

  private let executor = BlockingExecutor(label: "sonde.guard")
  private let plan: GuardPlan
  /// Keeps the lock.
  private let folder: GuardFolder?
  private let state: GuardState
  private let run: GuardRun
  private let say: @Sendable (String) -> Void
  private var finder: HitFinder
  private var answers = GuardAnswers()
  private var follower: FileFollower?
  private var contexts: [String: LineContext] = [:]
  private var saved: [FilePosition] = []
  private var savedNames: Set<String> = []
  private var waitingBytes: Int
  private var isWaiting: Bool
  private var toldForgotten = false
  /// A number that grows with each new alert.
  private var alertCount = 1

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Opens the state, in a file if there is one, and goes on where it was; `say` reports a problem.
  ///
  /// - Throws: ``SQLiteError``.
  package init(
    _ plan: GuardPlan,
    following names: [String],
    fromStart: Bool,
    in folder: GuardFolder?,
    say: @escaping @Sendable (String) -> Void
  ) throws(SQLiteError) {
    (self.plan, self.say, self.folder, finder) = (plan, say, folder, plan.finder)
    let state = try GuardState(path: folder?.path)
    if try state.renew(for: plan.spelling) {
      say("other options than before: hits are counted anew, from where the files were read to")
    }
    if !names.isEmpty {
      let (positions, times) = try state.positions()
      var rules = FollowRules()
      (rules.fromStart, rules.longestLine) = (fromStart, TextLines.longest)
      rules.known = try state.names()
      follower = FileFollower(names, rules, from: positions)
      (saved, savedNames) = (positions, rules.known)
      for (path, time) in times {
        var context = plan.lines
        context.lastTime = time
        contexts[path] = context
      }
    }
    try state.limitAlerts(to: plan.manner.destinations)
    waitingBytes = try state.waitingBytes()
    isWaiting = waitingBytes > 0
    run = GuardRun(plan.questions, plan.rules, plan.manner, state: state)
    self.state = state
  }

  /// The hits that only a missing answer could judge, and the lines that were too long.
  package var undecided: Int { run.undecided }
  /// The lines in which matching the pattern took too many steps.
  package var overlong: Int { finder.overlong }
  package var leftOut: Int { follower?.leftOut ?? 0 }

  // MARK: - Reading

  /// Whether lines of another source may come.
  package private(set) var isInputOpen = false
  package func openInput() { isInputOpen = true }
  package func closeInput() { isInputOpen = false }

  /// Looks at the files, and reads and judges further lines; returns whether there may be more.
  ///
  /// - Throws: ``SQLiteError``.
  package func step() throws(SQLiteError) -> Bool {
    guard var follower, waitingBytes < Self.mostWaiting else { return false }
    follower.look(now: .now)
    var lines: [FollowedLine] = []
    let hasMore = follower.read(atMost: Self.step, now: .now) { lines.append($0) }
    for news in follower.takeNews() { say(news.words) }
    self.follower = follower
    try take(lines, follower)
    return hasMore
  }

  /// Reads the files that were rotated away to their ends, without waiting for more.
  ///
  /// - Throws: ``SQLiteError``.
  package func finish() throws(SQLiteError) {
    guard var follower else { return }
    var lines: [FollowedLine] = []
    follower.finish { lines.append($0) }
    self.follower = follower
    try take(lines, follower)
  }

  /// Takes lines of another source.
  ///
  /// - Throws: ``SQLiteError``.
  package func take(_ lines: [[UInt8]], from input: String) throws(SQLiteError) {
    try take(lines.map { FollowedLine(path: input, bytes: $0[...]) }, nil)
  }

  private func take(_ lines: [FollowedLine], _ follower: FileFollower?) throws(SQLiteError) {
    let now = Timestamp.now.milliseconds
    var hits: [GuardHit] = []
    let overlong = finder.overlong
    for line in lines {
      let bytes = line.bytes
      var context = contexts[line.path] ?? plan.lines
      let time = finder.time(of: bytes.span, after: &context, now: now)
      hits += finder.hits(in: bytes.span, of: line.path, at: time ?? now, &context)
      contexts[line.path] = context
    }
    if overlong == 0, finder.overlong > 0 { say(GuardEnd.overlong) }
    let positions = follower?.positions ?? saved
    let names = follower?.names ?? savedNames
    guard !hits.isEmpty || positions != saved || names != savedNames else { return }
    try change { () throws(SQLiteError) in
      var rest = hits[...]
      while !isWaiting, let hit = rest.first, !isOpen(hit) {
        try run.take(hit, answers.answer(about: plan.questions.subject(of: hit)), now: .now)
        rest.removeFirst()
      }
      for hit in rest {
        waitingBytes += try state.wait(hit)
        isWaiting = true
      }
      try state.save(positions, after: saved, contexts.mapValues(\.lastTime))
      if names != savedNames { try state.save(names) }
    }
    (saved, savedNames) = (positions, names)
  }

  /// Whether an answer about the address of a hit must be waited for.
  private func isOpen(_ hit: GuardHit) -> Bool {
    plan.questions.needsAnswer(hit)
      && answers.answer(about: plan.questions.subject(of: hit)) == nil
  }

  private func change(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    do throws(SQLiteError) {
      let hasForgotten = try state.transaction { () throws(SQLiteError) -> Bool in
        try body()
        return try run.write()
      }
      alertCount += 1
      if hasForgotten, !toldForgotten {
        toldForgotten = true
        say("more than a million keys, values and times: the least recently hit are forgotten")
      }
    } catch {
      run.discard()
      throw error
    }
  }

  // MARK: - Waiting hits

  /// The hits that wait, in order; `nil` if none do.
  ///
  /// - Throws: ``SQLiteError``.
  package func waiting() throws(SQLiteError) -> Batch? {
    guard isWaiting else { return nil }
    let hits = try state.waiting(behind: 0, atMost: Self.batch)
    if hits.isEmpty {
      (isWaiting, waitingBytes) = (false, 0)
      return nil
    }
    return Batch(hits: hits, open: answers.open(hits.map(\.hit), plan.questions))
  }

  /// Judges waiting hits by the answers about their addresses.
  ///
  /// - Throws: ``SQLiteError``.
  package func judge(_ batch: Batch, _ found: [SubjectKey: RecordBlock]) throws(SQLiteError) {
    guard let last = batch.hits.last?.number else { return }
    // What failed is asked about again with the next hit.
    let missing: [Status] = [.failed, .networkLost]
    answers.take(found.filter { !missing.contains($0.value.records[0].status) })
    try change { () throws(SQLiteError) in
      for (_, hit) in batch.hits {
        let subject = plan.questions.subject(of: hit)
        let answer = found[subject] ?? answers.answer(about: subject)
        try run.take(hit, answer, now: .now)
      }
      try state.finishWaiting(upTo: last)
    }
    waitingBytes = try state.waitingBytes()
    isWaiting = waitingBytes > 0
  }

  // MARK: - Alerts

  /// A number that is another one when there may be new alerts.
  package var alertMark: Int { alertCount }

  /// The first alert that was not handed to a destination; `nil` for none, or if it is not complete.
  ///
  /// - Throws: ``SQLiteError``.
  package func alert(for destination: WaitingAlert.Way) throws(SQLiteError) -> WaitingAlert? {
    try state.alert(for: destination)
  }

  /// Alerts whose addresses were not asked about.
  ///
  /// - Throws: ``SQLiteError``.
  package func unplaced() throws(SQLiteError) -> [WaitingAlert] { try state.unplaced(atMost: 64) }

  /// Sets what is known of the address of an alert.
  ///
  /// - Throws: ``SQLiteError``.
  package func place(_ alert: WaitingAlert, _ event: GuardEvent?) throws(SQLiteError) {
    try state.place(alert, event?.json.bytes)
    alertCount += 1
  }

  /// Notes that an alert was handed to a destination.
  ///
  /// - Throws: ``SQLiteError``.
  package func settle(_ alert: WaitingAlert, for way: WaitingAlert.Way) throws(SQLiteError) {
    try state.settle(alert, for: way)
  }

  /// Whether no hit waits and every alert was handed over.
  ///
  /// - Throws: ``SQLiteError``.
  package func isIdle() throws(SQLiteError) -> Bool {
    guard !isWaiting else { return false }
    return try state.hasNoAlerts()
  }
}

extension FollowNews {
  /// For a person.
  fileprivate var words: String {
    switch self {
    case .lost(let path, let offset):
      "\(escapedForPerson(path)): what was behind byte \(offset) is gone or compressed"
    case .unreadable(let path, let reason):
      "\(escapedForPerson(path)): \(reason); it is tried again"
    case .compressed(let path):
      "\(escapedForPerson(path)): compressed files are not followed; --replay reads them"
    }
  }
}
