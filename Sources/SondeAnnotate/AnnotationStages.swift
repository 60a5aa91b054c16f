import SondeAddresses
import SondeAsking
import SondeInputs
import SondeRecords
import SondeScanner
import SondeStore

/// The stages of an annotation and the values they exchange.
///
///     read ─▶ window ─▶ recall ─▶ ask ─▶ settle ─▶ window ─▶ write
///
/// Lines wait in the window for the answers about their addresses. Block by block, these addresses
/// are recalled (from the run's own answers, and from the cache) and, if that fails, asked about,
/// each once. Answers settle all lines that wait for them, and the first lines of the window are
/// written as soon as they are settled.
struct AnnotationStages {
  /// The result of a task.
  enum Step: Sendable {
    case read(ReadLines)
    /// All inputs were read.
    case end
    case recalled(Recall)
    /// The providers have answered a batch.
    case answered(RecordBlock)
    /// The sources have answered.
    case completed(RecordBlock)
    /// A batch has been collected for long enough, or lines are late.
    case alarm
    case cancelled
  }

  /// What was found about some addresses without a request.
  struct Recall: Sendable {
    /// The answers of this run.
    var learnt = AnswerSpill.Answers()
    /// The answers of earlier runs, and those that need no request.
    var known = RecordBlock()
    /// The view of the cache in which the others were not found.
    var view: StoreView?
    /// The subjects without an answer.
    var open: [SubjectKey] = []

    /// Adds answers about open subjects.
    mutating func take(_ answers: KnownAnswers) {
      var block = answers.block
      for (index, position) in answers.positions.enumerated() where !open[position].claims.isEmpty {
        block.records[index].place.claims = open[position].claims
      }
      // Avoids a copy in the usual case.
      if known.records.isEmpty {
        known = block
      } else {
        for record in block.records { known.append(record, of: block) }
      }
    }
  }

  /// The largest number of addresses recalled together.
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
  /// The subjects being recalled or asked about.
  private var pending: Set<SubjectKey> = []
  /// What waits for answers about the same addresses; `nil` if claims do not matter.
  private var claimants: Claimants?
  /// The next block whose addresses are recalled.
  private var nextToRecall = 0
  private var isReading = false
  private var isRecalling = false
  private(set) var isInputRead = false
  private var lastRead = ContinuousClock.now
  /// The time of the alarm that is set.
  private var alarmTime: ContinuousClock.Instant?

  init(
    _ reader: LineReader,
    _ chain: ProviderChain,
    _ texts: EntryTexts,
    _ spill: AnswerSpill,
    _ rules: Annotation.Rules
  ) {
    (self.reader, self.chain, self.texts, self.spill) = (reader, chain, texts, spill)
    window = LineWindow(wait: rules.wait, texts.rules)
    ask = AskStage(
      limit: rules.batches,
      lookAhead: chain.lookAhead,
      sourceBatch: chain.sourceBatch,
      mayRepeat: false
    )
    known = KnownTexts(spill)
    if rules.claims != nil { claimants = Claimants() }
  }

  var isDone: Bool { isInputRead && window.isEmpty }

  mutating func takeDue(into output: inout [UInt8]) -> [LineCounts] {
    window.takeDue(now: .now, into: &output)
  }

  /// Continues a partially written line without unknown insertions; returns whether there is more.
  mutating func breakOffLine() async -> Bool {
    guard window.isWithinLine else { return false }
    if window.isEmpty {
      guard var block = await reader.restOfLine() else { return false }
      // Before the window registers waiting subjects, which takes longer than everything else.
      block.subjects.settleOpen(texts.absent.span)
      var lines = ReadLines()
      lines.waiting = [block]
      window.append(lines, readAt: .now)
    }
    window.breakOff(texts.absent.span)
    return true
  }

  mutating func count(_ counts: LineCounts) { books.count(counts) }

  /// Ends all waits for the time to pass.
  func stopWaiting() { alarm.ring() }
}

// MARK: - Results of tasks

extension AnnotationStages {
  /// Applies the result of a task.
  mutating func take(_ step: Step) async {
    switch step {
    case .read(let lines): take(lines)
    case .end: (isReading, isInputRead) = (false, true)
    case .recalled(let recall): await take(recall)
    case .answered(let answers):
      ask.finish()
      await take(provided: answers)
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
      await settle(
        SubjectKey(item.address, variant: item.variant),
        outcome,
        Array(recall.learnt.bytes[item.range])
      )
      // Others with this address look for it themselves.
      for key in claimants?.leave(SubjectKey(item.address, variant: item.variant)) ?? [] {
        pending.remove(key)
        nextToRecall = window.numbers.lowerBound
      }
    }
    await take(provided: recall.known)
    let questions = recall.open.map { key in
      var place = Place()
      (place.claims, place.period) = (key.claims, key.period)
      return Question(number: 0, address: key.address, place: place)
    }
    ask.take(questions, unknownIn: recall.view, now: .now)
  }

  /// Takes the answers of providers: settles those to which sources add nothing, and asks the sources
  /// about the others.
  private mutating func take(provided answers: RecordBlock) async {
    var (block, awaited) = (answers, AnsweredBatches())
    for index in block.records.indices {
      let others = claimants?.take(answers, index) ?? []
      for claims in [block.records[index].place.claims] + others.map(\.claims) {
        if !others.isEmpty { block.records[index].place.claims = claims }
        if chain.awaitsMore(of: block.records[index]) {
          awaited.append(block.records[index], of: block, 0)
        } else {
          await settle(block, index)
        }
      }
    }
    ask.take(answered: awaited.batches())
  }

  private mutating func settle(_ answers: RecordBlock, _ index: Int) async {
    let record = answers.records[index]
    guard let address = record.address else { return }
    var text: [UInt8] = []
    texts.encode(answers, index, to: &text)
    let key = SubjectKey(address, claiming: record.place.claims, in: record.place.period)
    await settle(key, texts.outcome(of: answers, index), text)
  }

  private mutating func settle(_ key: SubjectKey, _ outcome: EntryOutcome, _ text: [UInt8]) async {
    pending.remove(key)
    books.settle(key.address, outcome)
    window.settle(key, outcome, text.span)
    await known.insert(key, outcome, text)
  }
}

// MARK: - Starting tasks

extension AnnotationStages {
  mutating func start(in group: inout TaskGroup<Step>) {
    startRecalling(in: &group)
    startAsking(in: &group)
    if !isReading, !isInputRead, !window.isFull {
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
      let keys = window.openSubjects(of: nextToRecall, limit: Self.recallLimit) {
        !pending.contains($0)
      }
      guard !keys.isEmpty else {
        nextToRecall += 1
        continue
      }
      pending.formUnion(keys)
      let (open, answered) = claimants?.enter(keys) ?? (keys, [])
      guard !open.isEmpty || !answered.isEmpty else { continue }
      isRecalling = true
      let hasSpilled = known.hasSpilled
      group.addTask { [chain, spill] in
        .recalled(await Self.recall(open, answered, hasSpilled ? spill : nil, chain))
      }
    }
  }

  private static func recall(
    _ keys: [SubjectKey],
    _ answered: [RecordBlock],
    _ spill: AnswerSpill?,
    _ chain: ProviderChain
  ) async -> Recall {
    var recall = Recall()
    recall.open = keys
    for answer in answered { recall.known.append(answer.records[0], of: answer) }
    if let spill {
      recall.learnt = await spill.find(
        keys.map(\.address),
        variants: keys.map(\.variant)
      )
      let learnt = Set(recall.learnt.items.map { SubjectKey($0.address, variant: $0.variant) })
      recall.open.removeAll { learnt.contains($0) }
    }
    for key in recall.open where key.address.specialPurpose != nil {
      var (entry, place) = (EntryBlock(), Place())
      (place.claims, place.period) = (key.claims, key.period)
      entry.append(key.address, at: place)
      recall.known.append(entry.block.records[0], of: entry.block)
    }
    recall.open.removeAll { $0.address.specialPurpose != nil }
    guard !recall.open.isEmpty else { return recall }
    let periods = chain.isDated ? recall.open.map(\.period) : []
    let found = await chain.known(recall.open.map(\.address), in: periods)
    recall.view = found.view
    recall.take(found)
    let known = Set(found.positions)
    recall.open = recall.open.indices.filter { !known.contains($0) }.map { recall.open[$0] }
    return recall
  }

  private mutating func startAsking(in group: inout TaskGroup<Step>) {
    ask.batchLimit = chain.batchLimit
    // Nothing more can join the current batch, or only its answers allow more to be read.
    let isRecalled = !isRecalling && nextToRecall >= window.numbers.upperBound
    if isRecalled, isInputRead || window.isFull && ask.isIdle { ask.close() }
    ask.start(asking: chain, in: &group) { [chain] batch in
      (try? await Self.answers(to: batch, from: chain)) ?? .cancelled
    }
  }

  /// Asks the providers about a batch or, if they have answered, the sources.
  private static func answers(to batch: Batch, from chain: ProviderChain) async throws -> Step {
    guard batch.answers == nil else { return .completed(try await chain.answers(to: batch)) }
    var answers = try await chain.lookUp(batch.addresses, newerThan: batch.view)
    for (index, question) in batch.questions.enumerated() {
      answers.records[index].place.claims = question.place.claims
    }
    return .answered(answers)
  }

  /// When the current batch is sent even if incomplete; `nil` if more may arrive at once.
  private var gatheringEnd: ContinuousClock.Instant? {
    guard isReading else { return nil }
    return ask.patience(now: lastRead).map { lastRead + $0 }
  }

  /// Sets the alarm for the next event that no task signals.
  private mutating func setAlarm(in group: inout TaskGroup<Step>) {
    let times = [gatheringEnd, window.deadline].compactMap { $0 }
    guard let due = times.min(), alarmTime.map({ due < $0 }) ?? true else { return }
    // An alarm for a later time is triggered now, and set again.
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
