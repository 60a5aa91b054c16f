public import SondeRecords
import SondeSQLite
import SondeSystem

extension Store {
  /// Saves records like ``AnswerStore/save(_:in:)``; concurrent calls share a transaction.
  public nonisolated func save(_ answers: RecordBlock, in scope: AnswerScope) async {
    let encoded = EncodedAnswers(answers, now: AnswerMoment.now.seconds)
    if !encoded.items.isEmpty { await save(.answers(encoded, scope)) }
  }

  /// Saves data together with concurrent calls.
  func save(_ content: Content) async {
    await withCheckedContinuation { continuation in
      pending.append(Save(content: content, end: continuation))
      guard !isCommitScheduled else { return }
      isCommitScheduled = true
      // It runs after those already waiting for the thread, and so commits their data as well.
      Task { commitPending() }
    }
  }

  /// Commits all pending data in one transaction.
  func commitPending() {
    isCommitScheduled = false
    guard !pending.isEmpty else { return }
    let saves = pending
    pending = []
    keeper.perform(for: .writing) { connection throws(SQLiteError) in
      try connection.write { () throws(SQLiteError) in
        for save in saves { try Self.write(save.content, to: connection.database) }
      }
    }
    for save in saves { save.end.resume() }
    lastCommit = .now
    commits += 1
    trim()
    limitLog()
  }

  private static func write(_ content: Content, to database: Database) throws(SQLiteError) {
    switch content {
    case .answers(let answers, let scope):
      let number = try ScopeTable(database: database).makeNumber(of: scope)
      try AnswerTable(database: database).insert(answers, inScope: number, now: .now)
    case .texts(let texts, let scope):
      let table = TextTable(database: database)
      try table.make()
      try table.insert(texts, inScope: scope, now: .now)
    }
  }

  /// Removes answers that are too old or too many, in the background.
  private func trim() {
    guard keeper.connection?.isWritable == true else { return }
    let limits = limits
    let isNeeded = keeper.perform(for: .reading) { connection throws(SQLiteError) in
      let table = AnswerTable(database: connection.database)
      return try isTrimmed ? table.isTooLarge(limits) : table.needsTrimming(now: .now, limits)
    }
    isTrimmed = isNeeded != true
    guard isNeeded == true else { return }
    keeper.perform(for: .writing) { connection throws(SQLiteError) in
      try connection.write { () throws(SQLiteError) in
        try AnswerTable(database: connection.database).trim(now: .now, limits)
      }
    }
  }

  private func limitLog() {
    guard let database = keeper.connection?.database else { return }
    let frames = database.framesInLog
    if frames >= limits.mostFrames { writeBack() }
    if frames >= limits.idleFrames, idleTask == nil {
      idleTask = Task { [weak self] in await self?.writeBackWhenIdle() }
    }
  }

  private func writeBackWhenIdle() async {
    let pause = Duration.milliseconds(300)
    while !Task.isCancelled {
      try? await Task.sleep(for: pause)
      if .now - lastCommit >= pause { break }
    }
    // After a cancellation another task may have replaced this one.
    guard !Task.isCancelled else { return }
    idleTask = nil
    writeBack()
  }

  /// Writes the log back into the database.
  func writeBack() {
    keeper.perform(for: .writingBack) { connection throws(SQLiteError) in
      do throws(SQLiteError) {
        try connection.database.checkpoint()
      } catch {
        // Busy means that another process is writing it back already
        // (https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
        guard error.kind == .busy else { throw error }
      }
    }
  }
}
