import SondeAddresses
import SondeFollow
import SondeInputs
import SondeLogs
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
  /// The longest time for which names are not looked at while files are read.
  private static let longestBlindness = Duration.seconds(1)
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
  private var run: GuardRun
  private let say: @Sendable (String) -> Void
  /// What reports changes of followed files; `nil` where the system allows none.
  nonisolated let watch = FileWatch()
  private var lastLook: ContinuousClock.Instant?
  private var finder: HitFinder
  private var answers = GuardAnswers()
  private var follower: FileFollower?
  private var contexts: [String: LineContext] = [:]
  /// The names of the files before whose positions, by number, columns were looked for.
  private var withColumns: [Int64: String] = [:]
  private var saved: [FilePosition] = []
  private var savedNames: Set<String> = []
  private var waitingBytes: Int
  private var isWaiting: Bool
  private var toldForgotten = false
  private var journalLeftOut = 0
  /// Whether a file could not be read at some time.
  private(set) var hasUnreadable = false
  /// The number of the last alert that was sent to webhooks without being queued.
  private var lastTried: Int64 = 0
  /// The sources beside files that are not read to their ends.
  private var openInputs = 0
  /// Rings when hits may wait.
  nonisolated let hitsWait = WakeSignal()
  /// Rings when there may be new alerts.
  nonisolated let alertsWait = WakeSignal()

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
    if try state.renew(for: plan.spelling, seen: plan.questions.seen) {
      say("other options than before: hits are counted anew, from where the files were read to")
    }
    if !names.isEmpty {
      let (positions, times) = try state.positions()
      var rules = FollowRules()
      (rules.fromStart, rules.longestLine) = (fromStart, TextLines.longest)
      rules.known = try state.names()
      follower = FileFollower(names, rules, from: positions, watchedBy: watch)
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

  /// Reports at the end what no hit has had.
  func tellLack() { if let words = run.wordsForLack(isAtEnd: true) { say(words) } }

  /// The hits that only a missing answer could judge, and the lines that were too long.
  package var undecided: GuardRun.Undecided { run.undecided }
  package var leftOut: Int { (follower?.leftOut ?? 0) + journalLeftOut }
  /// Whether followed files may still be found that were moved on during the last look.
  var wantsSecondLook: Bool { follower?.wantsSecondLook ?? false }

  // MARK: - Reading

  /// Whether lines of another source may come.
  var isInputOpen: Bool { openInputs > 0 }
  func openInput() { openInputs += 1 }
  func closeInput() { openInputs -= 1 }

  /// Reads and judges further lines of files with changes, or of all; returns whether there may be more.
  ///
  /// - Throws: ``SQLiteError``.
  func step(after changes: FileChanges?) throws(SQLiteError) -> Bool {
    guard var follower, waitingBytes < Self.mostWaiting else { return false }
    if let changes, let lastLook, .now - lastLook < Self.longestBlindness {
      follower.hear(changes)
    } else {
      follower.look(now: .now)
      lastLook = .now
    }
    if plan.lines.picker?.needsColumns == true { readColumns(follower) }
    var lines: [ReadLine] = []
    let hasMore = follower.read(atMost: Self.step, now: .now) {
      lines.append(ReadLine(path: $0.path, bytes: $0.bytes))
    }
    report(follower.takeNews())
    if follower.leftOut > 0, self.follower?.leftOut == 0 {
      say("a line of more than 16 MiB is left out")
    }
    self.follower = follower
    try take(lines, follower)
    return hasMore
  }

  private func report(_ news: [FollowNews]) {
    for each in news {
      say(each.words)
      if each.isOfUnreadable { hasUnreadable = true }
    }
  }

  /// Reads the columns that are named before what is read next, once for each file.
  private func readColumns(_ follower: FileFollower) {
    for (position, descriptor) in follower.openFiles
    where withColumns[position.number] != position.path {
      withColumns[position.number] = position.path
      // The file itself, whatever it is called by now.
      guard position.offset > 0, let file = try? OpenFile(.file("/proc/self/fd/\(descriptor)"))
      else { continue }
      let columns = FileColumns(file).before(position.offset)
      contexts[position.path, default: plan.lines].picker = plan.lines.picker?.below(columns)
    }
  }

  /// Reads the files that were rotated away to their ends, without waiting for more.
  ///
  /// - Throws: ``SQLiteError``.
  package func finish() throws(SQLiteError) {
    guard var follower else { return }
    var lines: [ReadLine] = []
    follower.finish { lines.append(ReadLine(path: $0.path, bytes: $0.bytes)) }
    report(follower.takeNews())
    self.follower = follower
    try take(lines, follower)
  }

  /// The cursor behind which the journal is to be read; `nil` before the first time.
  ///
  /// - Throws: ``SQLiteError``.
  func journalCursor() throws(SQLiteError) -> String? { try state.journalCursor() }

  /// Takes messages of the journal, and keeps the cursor behind them.
  ///
  /// - Throws: ``SQLiteError``.
  func take(_ batch: JournalLines.Batch) throws(SQLiteError) {
    journalLeftOut += batch.leftOut
    let lines = batch.messages.map { message in
      ReadLine(
        path: message.unit.map { "journal:\($0)" } ?? "journal",
        bytes: message.text[...],
        time: message.time
      )
    }
    try take(lines, nil, behind: batch.cursor)
  }

  /// Whether further lines may be read, for not too many hits wait.
  var hasRoom: Bool { waitingBytes < Self.mostWaiting }

  /// Takes lines of another source.
  ///
  /// - Throws: ``SQLiteError``.
  package func take(_ lines: [ArraySlice<UInt8>], from input: String) throws(SQLiteError) {
    try take(lines.map { ReadLine(path: input, bytes: $0) }, nil)
  }

  /// A line of any source.
  private struct ReadLine {
    /// The name of the source.
    let path: String
    let bytes: ArraySlice<UInt8>
    /// Its time in milliseconds since 1970 UTC, unless it says that itself.
    var time: Int64?
  }

  private func take(
    _ lines: [ReadLine],
    _ follower: FileFollower?,
    behind cursor: String? = nil
  ) throws(SQLiteError) {
    let hits = hits(in: lines, now: Timestamp.now.milliseconds)
    let positions = follower?.positions ?? saved
    let names = follower?.names ?? savedNames
    guard !hits.isEmpty || positions != saved || names != savedNames || cursor != nil else {
      return
    }
    try change { () throws(SQLiteError) in
      let now = Timestamp.now
      for hit in hits {
        let subject = plan.questions.subject(of: hit)
        let answer = answers.answer(about: subject)
        if isWaiting || answer == nil && plan.questions.needsAnswer(hit) {
          waitingBytes += try state.wait(hit)
          isWaiting = true
        } else {
          try run.take(hit, of: subject, answer, now: now)
        }
      }
      try state.save(positions, after: saved) { contexts[$0]?.lastTime }
      if names != savedNames { try state.save(names) }
      if let cursor { try state.save(journalCursor: cursor) }
    }
    (saved, savedNames) = (positions, names)
  }

  /// The hits in lines, of which those of a source mostly stand together.
  private func hits(in lines: [ReadLine], now: Int64) -> [GuardHit] {
    var hits: [GuardHit] = []
    var (path, context) = ("", plan.lines)
    for line in lines {
      if line.path != path {
        if !path.isEmpty { contexts[path] = context }
        path = line.path
        context = contexts[path] ?? plan.lines
      }
      let time = line.time ?? finder.time(of: line.bytes.span, after: &context)
      finder.find(in: line.bytes, of: path, at: time ?? now, &context, into: &hits)
      // Units come and go, and their messages have times.
      if line.time != nil { path = "" }
    }
    if !path.isEmpty { contexts[path] = context }
    return hits
  }

  private func change(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    do throws(SQLiteError) {
      let hasForgotten = try state.transaction { () throws(SQLiteError) -> Bool in
        try body()
        return try run.write()
      }
      if isWaiting { hitsWait.ring() }
      alertsWait.ring()
      if hasForgotten, !toldForgotten {
        toldForgotten = true
        say(GuardRun.wordsForForgotten)
      }
      if let words = run.wordsForLack() { say(words) }
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
    var hits = try state.waiting(behind: 0, atMost: Self.batch)
    for index in hits.indices {
      hits[index].hit.verdict = plan.questions.verdict(beforeAsking: hits[index].hit)
    }
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
    let failed = take(found)
    var judged = 0
    try change { () throws(SQLiteError) in
      let now = Timestamp.now
      for (_, hit) in batch.hits {
        let subject = plan.questions.subject(of: hit)
        try run.take(hit, of: subject, failed[subject] ?? answers.answer(about: subject), now: now)
      }
      judged = try state.finishWaiting(upTo: last)
    }
    waitingBytes -= judged
    isWaiting = waitingBytes > 0
  }

  /// Remembers answers; what failed is returned, and asked about again with the next hit.
  private func take(_ found: [SubjectKey: RecordBlock]) -> [SubjectKey: GuardAnswer] {
    let missing: [Status] = [.failed, .networkLost]
    let failed = found.filter { missing.contains($0.value.records[0].status) }
    answers.take(found.filter { failed[$0.key] == nil })
    return failed.mapValues { answers.numbered($0) }
  }

  // MARK: - Alerts

  /// The first alerts behind a number that were not handed to a destination, up to one whose address
  /// is asked about.
  ///
  /// - Throws: ``SQLiteError``.
  func alerts(
    for destination: WaitingAlert.Way,
    behind number: Int64,
    atMost count: Int
  ) throws(SQLiteError) -> [WaitingAlert] {
    let alerts = try state.alerts(for: destination, behind: number, atMost: count)
    return Array(alerts.prefix { !$0.way.contains(.unplaced) })
  }

  /// Alerts behind a number whose addresses were not asked about.
  ///
  /// - Throws: ``SQLiteError``.
  func unplaced(behind number: Int64) throws(SQLiteError) -> [WaitingAlert] {
    try state.alerts(for: .unplaced, behind: number, atMost: WaitingAlert.mostAtOnce)
  }

  /// Sets what is known of the addresses of alerts, by what was answered in time.
  ///
  /// - Throws: ``SQLiteError``.
  func place(
    _ alerts: [WaitingAlert],
    by found: [SubjectKey: RecordBlock]
  ) throws(SQLiteError) {
    try state.place(zip(alerts, alerts.placed(by: found)).map { ($0, $1?.json.bytes) })
    _ = take(found)
    alertsWait.ring()
  }

  /// Notes that alerts were handed to a destination.
  ///
  /// - Throws: ``SQLiteError``.
  func settle(_ alerts: [WaitingAlert], for way: WaitingAlert.Way) throws(SQLiteError) {
    try state.settle(alerts, for: way)
  }

  /// Notes that alerts were sent to webhooks, without a queue that keeps them.
  func noteTried(upTo number: Int64) { lastTried = number }

  /// Whether alerts are kept until the next run.
  nonisolated var isKept: Bool { folder != nil }

  /// Whether no hit waits and every alert was handed over, or tried.
  ///
  /// - Throws: ``SQLiteError``.
  package func isIdle() throws(SQLiteError) -> Bool {
    guard !isWaiting else { return false }
    return try state.hasNoAlerts(triedUpTo: lastTried)
  }
}
