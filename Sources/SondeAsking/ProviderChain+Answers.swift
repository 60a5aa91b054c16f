import SondeAddresses
package import SondeRecords

/// Questions about some subjects, outside a scan.
extension ProviderChain {
  /// Asks about subjects, without duplicates, with several requests at a time, each of which may take
  /// `time`.
  ///
  /// - Returns: For each subject that was answered in time one record.
  /// - Throws: `CancellationError` only.
  package func answers(
    about subjects: [SubjectKey],
    atOnce: Int,
    within time: Duration? = nil
  ) async throws -> [SubjectKey: RecordBlock] {
    let size = max(1, batchLimit)
    let batches = stride(from: 0, to: subjects.count, by: size).map { start in
      Array(subjects[start..<min(start + size, subjects.count)])
    }
    return try await withThrowingTaskGroup(of: [SubjectKey: RecordBlock].self) { group in
      var (next, answers): (Int, [SubjectKey: RecordBlock]) = (0, [:])
      while next < min(max(1, atOnce), batches.count) {
        group.addTask { [batch = batches[next]] in
          try await self.answers(about: batch, within: time)
        }
        next += 1
      }
      while let found = try await group.next() {
        answers.merge(found) { _, new in new }
        guard next < batches.count else { continue }
        group.addTask { [batch = batches[next]] in
          try await self.answers(about: batch, within: time)
        }
        next += 1
      }
      return answers
    }
  }

  /// Asks about subjects that fit into one request; none is answered if that takes too long.
  private func answers(
    about subjects: [SubjectKey],
    within time: Duration?
  ) async throws -> [SubjectKey: RecordBlock] {
    guard let time else { return try await answers(about: subjects) }
    return try await withThrowingTaskGroup(of: [SubjectKey: RecordBlock].self) { group in
      group.addTask { try await self.answers(about: subjects) }
      group.addTask {
        try await Task.sleep(for: time)
        return [:]
      }
      defer { group.cancelAll() }
      return try await group.next() ?? [:]
    }
  }

  /// Asks about subjects that fit into one request.
  private func answers(about subjects: [SubjectKey]) async throws -> [SubjectKey: RecordBlock] {
    var answers: [SubjectKey: RecordBlock] = [:]
    var batch = Batch(mayRepeat: true)
    var asked: [SubjectKey] = []
    for subject in subjects {
      guard subject.address.specialPurpose == nil else {
        answers[subject] = try await answer(to: subject.address).alone(0)
        continue
      }
      var place = Place()
      place.claims = subject.claims
      let number = UInt64(asked.count)
      let question = Question(number: number, address: subject.address, place: place)
      batch.append(question, unknownIn: nil, now: .now)
      asked.append(subject)
    }
    guard !asked.isEmpty else { return answers }
    if readsClaims { batch.answers = try await providerAnswers(to: batch) }
    let block = try await self.answers(to: batch)
    for (index, subject) in asked.enumerated() {
      answers[subject] = block.alone(batch.position(of: index))
    }
    return answers
  }

  /// What the providers say, once for each address, with what the lines of the questions claim.
  private func providerAnswers(to batch: Batch) async throws -> RecordBlock {
    let records = try await lookUp(batch.addresses)
    var answers = RecordBlock()
    for (index, question) in batch.questions.enumerated() {
      var record = records.records[batch.address(of: index)]
      record.place = question.place
      answers.append(record, of: records)
    }
    return answers
  }
}
