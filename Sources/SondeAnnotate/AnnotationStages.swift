import SondeAddresses
import SondeAsking
import SondeInputs
import SondeRecords
import SondeScanner
import SondeStore

/// The stages of one run that annotates, and what passes between them.
///
///     read ─▶ window ─▶ recall ─▶ ask ─▶ settle ─▶ window ─▶ write
///     lines   wait      known?    who?   the lines that wait
///
/// Lines come in and wait in the window for their addresses. Block after block, those addresses are
/// recalled (from what the run has learnt, and from the cache) and, where that does not help, asked
/// about, each once. What is learnt settles every line that waits for it, and the first lines of the
/// window go out as soon as all of them is known.
struct AnnotationStages {
  /// What a task has come to.
  enum Step: Sendable {
    case read(ReadLines)
    /// All inputs are read.
    case end
    case recalled(Recall)
    /// The providers have answered a batch, and what sources are still to be asked about.
    case answered(RecordBlock, awaiting: [Batch])
    /// The sources have.
    case completed(RecordBlock)
    /// A batch has gathered for long enough, or lines are late.
    case alarm
    case cancelled
  }

  /// What was found of some addresses without asking.
  struct Recall: Sendable {
    /// What this run has learnt.
    var learnt = AnswerSpill.Answers()
    /// What earlier runs have.
    var known = KnownAnswers()
    /// What is known of addresses that sources are to be asked about.
    var answered = AnsweredBatches()
    /// The addresses of which neither is known.
    var open: [Address] = []
  }

  /// Addresses that are recalled together, at the most.
  private static let recallLimit = 4096

  private let reader: LineReader
  private let chain: ProviderChain
  private let texts: EntryTexts
  private let spill: AnswerSpill
  private let alarm = Bell()

  private(set) var window: LineWindow
  private(set) var books = LineBooks()
  private var ask: AskStage
  private var known: KnownTexts
  /// The addresses that are recalled or asked about, and not to be asked about again meanwhile.
  private var pending: Set<Address> = []
  /// The block whose addresses are recalled next.
  private var nextToRecall = 0
  private var isReading = false
  private var isRecalling = false
  private var isAtEnd = false
  private var lastRead = ContinuousClock.now
  /// When the alarm that is set goes off.
  private var alarmTime: ContinuousClock.Instant?

  /// Makes stages that hold nothing.
  init(
    _ reader: LineReader,
    _ chain: ProviderChain,
    _ texts: EntryTexts,
    _ spill: AnswerSpill,
    _ rules: Annotation.Rules
  ) {
    (self.reader, self.chain, self.texts, self.spill) = (reader, chain, texts, spill)
    window = LineWindow(wait: rules.wait, onlyMatching: rules.onlyMatching)
    ask = AskStage(limit: rules.batches, lookAhead: chain.lookAhead, mayRepeat: false)
    known = KnownTexts(spill)
  }

  /// Whether every line has gone out.
  var isDone: Bool { isAtEnd && window.isEmpty }

  /// Whether nothing more will be read.
  var isInputRead: Bool { isAtEnd }

  /// Takes the lines out whose turn it is.
  mutating func takeDue(into output: inout [UInt8]) -> [LineCounts] {
    window.takeDue(now: .now, into: &output)
  }

  /// Has the line that has gone out in part go on to its end, without what is not known.
  ///
  /// - Returns: Whether there is more of it.
  mutating func breakOffLine() async -> Bool {
    guard window.isWithinLine else { return false }
    if window.isEmpty {
      guard var block = await reader.restOfLine() else { return false }
      // Before the window notes who waits for what, which takes longer than all else.
      block.subjects.settleOpen(texts.absent.span)
      var lines = ReadLines()
      lines.waiting = [block]
      window.append(lines, readAt: .now)
    }
    window.breakOff(texts.absent.span)
    return true
  }

  /// Counts lines that have gone out.
  mutating func count(_ counts: LineCounts) { books.count(counts) }

  /// Has nobody wait for the time to pass.
  func stopWaiting() { alarm.ring() }
}

// MARK: - What tasks have come to

extension AnnotationStages {
  /// Takes in what a task has come to.
  mutating func take(_ step: Step) async {
    switch step {
    case .read(let lines): take(lines)
    case .end: (isReading, isAtEnd) = (false, true)
    case .recalled(let recall): await take(recall)
    case .answered(let answers, let awaiting):
      ask.finish()
      ask.take(answered: awaiting)
      if awaiting.isEmpty { for index in answers.records.indices { await settle(answers, index) } }
    case .completed(let answers):
      ask.finishSources()
      for index in answers.records.indices { await settle(answers, index) }
    case .alarm:
      alarmTime = nil
      if let due = gatheringEnd, due <= .now { ask.close() }
    case .cancelled: break
    }
  }

  private mutating func take(_ lines: ReadLines) {
    (isReading, lastRead) = (false, .now)
    var lines = lines
    for index in lines.waiting.indices {
      known.settle(&lines.waiting[index].subjects)
    }
    window.append(lines, readAt: lastRead)
  }

  private mutating func take(_ recall: Recall) async {
    isRecalling = false
    for item in recall.learnt.items {
      guard let outcome = EntryOutcome(number: item.number) else { continue }
      await settle(item.address, outcome, Array(recall.learnt.bytes[item.range]))
    }
    for index in recall.known.block.records.indices { await settle(recall.known.block, index) }
    ask.take(answered: recall.answered.batches())
    let questions = recall.open.map { Question(number: 0, address: $0) }
    ask.take(questions, unknownIn: recall.known.view, now: .now)
  }

  private mutating func settle(_ answers: RecordBlock, _ index: Int) async {
    guard let address = answers.records[index].address else { return }
    var text: [UInt8] = []
    texts.encode(answers, index, to: &text)
    await settle(address, EntryOutcome(answers.records[index]), text)
  }

  private mutating func settle(
    _ address: Address,
    _ outcome: EntryOutcome,
    _ text: [UInt8]
  ) async {
    pending.remove(address)
    books.settle(address, outcome)
    window.settle(address, outcome, text.span)
    await known.insert(address, outcome, text)
  }
}

// MARK: - Starting tasks

extension AnnotationStages {
  /// Starts all that may be under way.
  mutating func start(in group: inout TaskGroup<Step>) {
    startRecalling(in: &group)
    startAsking(in: &group)
    if !isReading, !isAtEnd, !window.isFull {
      isReading = true
      group.addTask { [reader] in
        guard let lines = try? await reader.next() else {
          return Task.isCancelled ? .cancelled : .end
        }
        return .read(lines)
      }
    }
    setAlarm(in: &group)
  }

  private mutating func startRecalling(in group: inout TaskGroup<Step>) {
    while !isRecalling, !ask.isFull {
      nextToRecall = max(nextToRecall, window.numbers.lowerBound)
      guard nextToRecall < window.numbers.upperBound else { return }
      let addresses = window.openAddresses(of: nextToRecall, limit: Self.recallLimit) {
        !pending.contains($0)
      }
      guard !addresses.isEmpty else {
        nextToRecall += 1
        continue
      }
      pending.formUnion(addresses)
      isRecalling = true
      let hasSpilled = known.hasSpilled
      group.addTask { [chain, spill] in
        .recalled(await Self.recall(addresses, hasSpilled ? spill : nil, chain))
      }
    }
  }

  private static func recall(
    _ addresses: [Address],
    _ spill: AnswerSpill?,
    _ chain: ProviderChain
  ) async -> Recall {
    var recall = Recall()
    recall.open = addresses
    if let spill {
      recall.learnt = await spill.find(addresses)
      let learnt = Set(recall.learnt.items.map(\.address))
      recall.open.removeAll { learnt.contains($0) }
    }
    for address in recall.open where address.specialPurpose != nil {
      var entry = EntryBlock()
      entry.append(address, at: Place())
      recall.answered.append(entry.block.records[0], of: entry.block, 0)
    }
    recall.open.removeAll { $0.specialPurpose != nil }
    guard !recall.open.isEmpty else { return recall }
    recall.known = await chain.known(recall.open)
    let found = Set(recall.known.positions)
    recall.open = recall.open.indices.filter { !found.contains($0) }.map { recall.open[$0] }
    for record in recall.known.block.records where chain.awaitsMore(of: record) {
      recall.answered.append(record, of: recall.known.block, 0)
    }
    _ = recall.known.removeAll { chain.awaitsMore(of: $0) }
    return recall
  }

  private mutating func startAsking(in group: inout TaskGroup<Step>) {
    ask.batchLimit = chain.batchLimit
    // Where nothing could add to the batch at hand, or let more be read.
    let isRecalled = !isRecalling && nextToRecall >= window.numbers.upperBound
    if isRecalled, isAtEnd || window.isFull && ask.isIdle { ask.close() }
    while let batch = ask.begin() {
      let work = { @Sendable [chain] () async -> Step in
        (try? await Self.answers(to: batch, from: chain)) ?? .cancelled
      }
      // One that waits for the quota takes its place in the queue here and now, so that the earlier
      // batch is asked first; one that only computes runs beside this task.
      if chain.asksRemotely || batch.answers != nil {
        group.addImmediateTask(operation: work)
      } else {
        group.addTask(operation: work)
      }
    }
  }

  /// Asks the providers about a batch, or where they have answered the sources.
  private static func answers(to batch: Batch, from chain: ProviderChain) async throws -> Step {
    guard batch.answers == nil else { return .completed(try await chain.answers(to: batch)) }
    let answers = try await chain.lookUp(batch.addresses, newerThan: batch.view)
    // No address that a provider is asked about is reserved, so that sources want all or none.
    var awaited = AnsweredBatches()
    for record in answers.records where chain.awaitsMore(of: record) {
      awaited.append(record, of: answers, 0)
    }
    return .answered(answers, awaiting: awaited.batches())
  }

  /// When the batch at hand goes out although it is not full; `nil` where more may come at once.
  private var gatheringEnd: ContinuousClock.Instant? {
    guard isReading else { return nil }
    return ask.patience(now: lastRead).map { lastRead + $0 }
  }

  /// Has the alarm go off when the next thing is due that nobody else tells of.
  private mutating func setAlarm(in group: inout TaskGroup<Step>) {
    let times = [gatheringEnd, window.deadline].compactMap { $0 }
    guard let due = times.min(), alarmTime.map({ due < $0 }) ?? true else { return }
    // One that is set for later goes off now, and is set again.
    if alarmTime != nil { return alarm.ring() }
    alarmTime = due
    let round = alarm.round
    group.addTask { [alarm] in
      do {
        try await alarm.wait(after: round, until: due)
        return .alarm
      } catch {
        return .cancelled
      }
    }
  }
}
