import SondeAddresses
import SondeRecords
import SondeRedis
import SondeSystem
import Synchronization

/// The answers on a server shared by any number of machines.
///
/// Each address has a hash with an answer per scope; a sorted set has the order of their arrival.
/// Answers expire by themselves.
final class SharedAnswers: AnswerStore {
  /// The lifetime of answers, as in a local cache.
  private static let lifetime = StoreLimits().age
  /// The number of addresses looked up or saved per step.
  static let batch = 500
  /// The largest number of the oldest answers that are deleted at a time when the server is full.
  private static let mostDeleted = 100
  /// The largest number of answers that wait for the server's return.
  private static let mostUnsaved = 10_000

  private struct Save {
    let answers: EncodedAnswers
    let scope: AnswerScope
  }

  let link: SharedLink
  let warn: @Sendable (String) -> Void
  /// Answers that arrived while the server was unavailable.
  private let unsaved = Mutex<[Save]>([])
  private let hasToldFullness = Mutex(false)

  init(on link: SharedLink, warn: @escaping @Sendable (String) -> Void) {
    (self.link, self.warn) = (link, warn)
  }

  func close() async { await saveRest() }
}

// MARK: - Looking up

extension SharedAnswers {
  func lookUp(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?
  ) async -> KnownAnswers {
    await saveRest()
    let found = await find(addresses) { [link] all in
      let wanted = all.filter { $0.scope.includes(scope) }
      let fresh = wanted.filter { answer in
        age.map { link.now - .seconds(answer.saved) < $0 } ?? true
      }
      return fresh.max { ($0.saved, $0.given) < ($1.saved, $1.given) }.map { [$0] } ?? []
    }
    var known = KnownAnswers()
    guard let (block, items) = found?.stored.decoded() else { return known }
    (known.block, known.positions) = (block, items.map(\.position))
    return known
  }

  /// Always true, since others may have changed it at any time.
  func hasChanged(since view: StoreView) async -> Bool { true }

  /// An answer about an address.
  struct Answer {
    let scope: AnswerScope
    let number: Int64
    let bytes: [UInt8]
    let range: Range<Int>
    let given: Int64
    let saved: Int64
  }

  /// Finds the answer that `pick` selects from all about each address, and all scopes; `nil` if the
  /// server is unavailable.
  func find(
    _ addresses: [Address],
    _ pick: @escaping @Sendable ([Answer]) -> [Answer]
  ) async -> (stored: StoredAnswers, scopes: [(number: Int64, scope: AnswerScope)])? {
    await link.perform { session throws(RedisError) in
      var (stored, scopes) = (StoredAnswers(), [(number: Int64, scope: AnswerScope)]())
      for start in stride(from: 0, to: addresses.count, by: Self.batch) {
        let slice = addresses[start..<min(start + Self.batch, addresses.count)]
        let questions =
          [[Array("HGETALL".utf8), SharedKeys.scopes]]
          + slice.map { [Array("HGETALL".utf8), SharedKeys.answers(Array($0.description.utf8))] }
        let replies = try session.send(questions)
        scopes = Self.pairs(replies[0]).compactMap { pair in
          AnswerScope(sharedText: pair.value).map { ($0.sharedNumber, $0) }
        }
        let names = Dictionary(scopes.map { ($0.number, $0.scope) }) { first, _ in first }
        for (index, address) in slice.enumerated() {
          let all = Self.pairs(replies[index + 1]).compactMap { Self.answer($0, names) }
          for answer in pick(all) {
            stored.append(
              answer.bytes.span.extracting(answer.range),
              to: start + index,
              address,
              given: answer.given,
              scope: answer.number
            )
          }
        }
      }
      return (stored, scopes)
    }.result
  }

  private static func answer(
    _ pair: (name: [UInt8], value: [UInt8]),
    _ names: [Int64: AnswerScope]
  ) -> Answer? {
    guard let number = Int64(String(decoding: pair.name, as: UTF8.self)), let scope = names[number],
      let (range, given, saved) = SharedAnswer.read(pair.value)
    else { return nil }
    return Answer(
      scope: scope,
      number: number,
      bytes: pair.value,
      range: range,
      given: given,
      saved: saved
    )
  }

  /// The names and values of a hash.
  static func pairs(_ reply: RedisReply) -> [(name: [UInt8], value: [UInt8])] {
    let list = reply.list ?? []
    return stride(from: 0, to: list.count - list.count % 2, by: 2).compactMap { index in
      guard let name = list[index].bytes, let value = list[index + 1].bytes else { return nil }
      return (name, value)
    }
  }
}

// MARK: - Saving

extension SharedAnswers {
  func save(_ answers: RecordBlock, in scope: AnswerScope) async {
    let encoded = EncodedAnswers(answers, now: AnswerMoment.now.seconds)
    guard !encoded.items.isEmpty else { return }
    await saveRest()
    let save = Save(answers: encoded, scope: scope)
    // A cancelled task does not wait, but the answers are saved nevertheless.
    let (ends, end) = AsyncStream<Void>.makeStream()
    Task {
      if await !write(save) { keep(save) }
      end.finish()
    }
    for await _ in ends {}
  }

  /// Keeps answers in memory until the server returns; too many are dropped, and would be requested
  /// again.
  private func keep(_ save: Save) {
    unsaved.withLock { unsaved in
      let count = unsaved.reduce(0) { $0 + $1.answers.items.count }
      if count < Self.mostUnsaved { unsaved.append(save) }
    }
  }

  /// Saves the answers that arrived while the server was unavailable.
  func saveRest() async {
    guard link.outage == nil else { return }
    let rest = unsaved.withLock { unsaved in
      defer { unsaved = [] }
      return unsaved
    }
    for save in rest where await !write(save) { keep(save) }
  }

  /// Writes answers; returns whether there is nothing left to do for them.
  private func write(_ save: Save) async -> Bool {
    let outcome = await makingRoom { [link] session throws(RedisError) in
      let items = save.answers.items
      let number = Array(String(save.scope.sharedNumber).utf8)
      let milliseconds = Array("\(Self.lifetime.components.seconds)000".utf8)
      for start in stride(from: 0, to: items.count, by: Self.batch) {
        var keys = [SharedKeys.arrivals, SharedKeys.scopes]
        var arguments = [number, save.scope.sharedText, milliseconds]
        for item in items[start..<min(start + Self.batch, items.count)] {
          let name = Array(item.address.description.utf8)
          keys.append(SharedKeys.answers(name))
          let answer = save.answers.bytes.span.extracting(item.range)
          arguments += [name, SharedAnswer.bytes(answer, given: item.given, saved: link.now)]
        }
        _ = try session.run(.save, keys: keys, arguments)
      }
    }
    switch outcome {
    case .done: return true
    case .full(let reason):
      tellFullness(reason)
      return true
    case .gone, .cancelled: return false
    }
  }

  /// Stores data, for which the oldest answers are deleted as long as the server is full.
  func makingRoom(
    _ body: @escaping @Sendable (SharedSession) throws(RedisError) -> Void
  ) async -> SharedOutcome<Void> {
    while true {
      let outcome = await link.perform(needingRoom: true, body)
      guard case .full = outcome, await deleteOldest() else { return outcome }
    }
  }

  /// Deletes some of the oldest answers; returns whether there were any.
  private func deleteOldest() async -> Bool {
    let hasDeleted = await link.perform { session throws(RedisError) in
      let oldest = ["0", "\(Self.mostDeleted - 1)"].map { Array($0.utf8) }
      let reply = try session.send([[Array("ZRANGE".utf8), SharedKeys.arrivals] + oldest])[0]
      let names = reply.list?.compactMap(\.bytes) ?? []
      guard !names.isEmpty else { return false }
      _ = try session.send([
        [Array("UNLINK".utf8)] + names.map(SharedKeys.answers),
        [Array("ZREM".utf8), SharedKeys.arrivals] + names,
      ])
      return true
    }
    return hasDeleted.result ?? false
  }

  /// Reports once that the server has no space for new data.
  func tellFullness(_ reason: String) {
    let isNew = hasToldFullness.withLock { hasTold in
      defer { hasTold = true }
      return !hasTold
    }
    if isNew { warn("\(link.name): \(reason); new answers are not kept") }
  }
}
