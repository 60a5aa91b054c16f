import SondeRedis

/// The rows of all accounts, for display.
extension SharedLedger {
  func records() async throws(LedgerFault) -> [LedgerRecord] {
    let prefix = SharedKeys.quota([])
    let records = await link.eachPage(of: prefix + Array("*".utf8)) {
      [self] session, keys throws(RedisError) -> [LedgerRecord] in
      // A row may have a turn, whose name continues after a colon.
      let keys = keys.filter { !$0.dropFirst(prefix.count).contains(UInt8(ascii: ":")) }
      guard !keys.isEmpty else { return [] }
      let replies = try session.send(keys.map { [Array("GET".utf8), $0] })
      return zip(keys, replies).compactMap { key, reply -> LedgerRecord? in
        guard let row = SharedRow(reply.bytes ?? []) else { return nil }
        let seen = self.row(row, session.run, lastSeen: nil)
        return LedgerRecord(key: LedgerKey(bytes: key), row: seen)
      }
    }
    guard let records = records.result else { throw LedgerFault(words) }
    var seen: Set<[UInt8]> = []
    return records.filter { seen.insert($0.key.bytes).inserted }
  }

  /// Changes a row in place, so that its users see a changed row, not a lost one.
  func change<R: Sendable>(
    _ key: LedgerKey,
    _ body: @escaping @Sendable (inout LedgerRow) -> R
  ) async -> LedgerUpdate<R> {
    let result = await link.perform { [self] session throws(RedisError) -> R in
      var former: [UInt8]?
      let end = ContinuousClock.now + Self.patience
      while ContinuousClock.now < end {
        let made = former.map { former -> (row: [UInt8], result: R) in
          let known = SharedRow(former)
          var row = row(known, session.run, lastSeen: nil)
          let result = body(&row)
          guard !row.bytes.isEmpty else { return ([], result) }
          let born = known?.born ?? row.time.now
          return (SharedRow(born: born, run: session.run, state: row.bytes).bytes, result)
        }
        switch try session.exchange(key.bytes, expecting: former, for: made?.row).outcome {
        case .done: if let made { return made.result }
        case .otherRow(let row, _, _): former = row
        case .otherSalt: former = nil
        }
      }
      throw RedisError(.unreachable, "others change the same row all the time")
    }
    return result.update
  }

  private var words: String {
    outage.map { "\($0.place): \($0.reason)" } ?? "the shared quotas cannot be read"
  }
}
