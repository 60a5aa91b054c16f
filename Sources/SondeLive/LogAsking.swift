import SondeAddresses
import SondeAnnotate
package import SondeAsking
import SondePage
import SondeProviders
package import SondeRecords
import SondeStore
import SondeSystem

/// Asks about the addresses of logs as a scan does.
package struct LogAsking: Sendable {
  /// The time between two looks whether it is their turn.
  private static let pace = Duration.milliseconds(100)
  /// The most addresses that are asked about at once where all answers are local.
  private static let mostLocal = 512
  /// After how long an address whose answer failed is asked about again, when it is next hit.
  private static let pause: Int64 = 600

  private let chain: ProviderChain
  private let sources: [any ColumnSource]
  private let columns: [Field]
  private let batches: Int
  private let isTurn: @Sendable () async -> Bool

  /// Creates what asks a chain, at most so many batches at once, when `isTurn` says so.
  ///
  /// The sources are those that add columns to answers, and `columns` those of the table of records.
  package init(
    _ chain: ProviderChain,
    adding sources: [any ColumnSource],
    columns: [Field],
    batches: Int,
    isTurn: @escaping @Sendable () async -> Bool
  ) {
    (self.chain, self.sources, self.columns) = (chain, sources, columns)
    (self.batches, self.isTurn) = (batches, isTurn)
  }

  /// Asks about the next addresses of a log; returns whether there were any.
  ///
  /// - Throws: `CancellationError` only.
  package func ask(of log: LiveLog) async throws -> Bool {
    let most = chain.isLocal ? Self.mostLocal : max(1, chain.batchLimit)
    let questions = await log.questions(atMost: most)
    guard !questions.isEmpty else { return false }
    let open = await settleKnown(questions, of: log)
    guard !open.isEmpty else { return true }
    if !chain.isLocal || !chain.sources.isEmpty {
      while await !isTurn() { try await Task.sleep(for: Self.pace) }
    }
    let found = try await chain.answers(about: open.map { SubjectKey($0.address) }, atOnce: batches)
    await settle(
      open.compactMap { question in found[SubjectKey(question.address)].map { (question, $0) } },
      of: log
    )
    return true
  }

  /// Settles what needs no request; returns the others.
  private func settleKnown(
    _ questions: [LogQuestion],
    of log: LiveLog
  ) async -> [LogQuestion] {
    var (settled, open): ([(LogQuestion, RecordBlock)], [LogQuestion]) = ([], [])
    for question in questions {
      guard question.address.specialPurpose != nil else {
        open.append(question)
        continue
      }
      let known = await chain.known(to: question.address, zone: question.zone ?? [])
      if let known { settled.append((question, known)) } else { open.append(question) }
    }
    if chain.sources.isEmpty, !chain.isLocal, !open.isEmpty {
      let known = await chain.known(open.map(\.address))
      for (index, position) in known.positions.enumerated() {
        settled.append((open[position], known.block.alone(index)))
      }
      let positions = Set(known.positions)
      open = open.indices.filter { !positions.contains($0) }.map { open[$0] }
    }
    await settle(settled, of: log)
    return open
  }

  private func settle(_ answers: [(LogQuestion, RecordBlock)], of log: LiveLog) async {
    guard !answers.isEmpty else { return }
    let (rows, brackets) = (rowEncoder, brackets)
    let now = Timestamp.now.seconds
    var (row, words): ([UInt8], [UInt8]) = ([], [])
    let settled = answers.compactMap { question, block -> LogAnswer? in
      guard let record = block.records.first else { return nil }
      let isMissing = record.status == .failed || record.status == .networkLost
      row.removeAll(keepingCapacity: true)
      rows.append(record, bytes: block.bytes.span, to: &row)
      words.removeAll(keepingCapacity: true)
      brackets.append(record, bytes: block.bytes.span, to: &words)
      // Copied, for they wait to be kept: encoders make room for the longest of all records.
      return LogAnswer(
        question,
        asked: isMissing ? now - LiveLog.longestAnswer + Self.pause : now,
        row: row.map(\.self),
        words: words.map(\.self),
        place: block.place(of: record)
      )
    }
    await log.settle(settled)
  }

  private var rowEncoder: RecordEncoder {
    RecordEncoder(
      format: .sqlite,
      fields: columns,
      sources: Provider.sourceNames,
      added: sources
    )
  }

  private var brackets: BracketStyle {
    let added = sources.flatMap(\.columns).filter { !$0.isTechnical }.map(Field.added)
    let encoder = RecordEncoder(
      format: .inlineNetwork,
      fields: Field.inline + added,
      sources: Provider.sourceNames,
      added: sources
    )
    return BracketStyle(encoder: encoder, dims: false)
  }
}

extension RecordBlock {
  /// The place of a record; without coordinates, the middle of its country.
  fileprivate func place(of record: Record) -> LogPlace? {
    let country = text(.country, of: record)
    let (latitude, longitude) = (record.latitude, record.longitude)
    if latitude.isFinite, longitude.isFinite, abs(latitude) <= 90, abs(longitude) <= 180 {
      let name = [text(.city, of: record), country].compactMap(\.self).joined(separator: ", ")
      return LogPlace(latitude: latitude, longitude: longitude, name: name)
    }
    guard let code = text(.countryCode, of: record), let point = CountryPoints.all[code] else {
      return nil
    }
    return LogPlace(
      latitude: point.latitude,
      longitude: point.longitude,
      name: "\(country ?? code) (country only)"
    )
  }
}
