import Redis

/// The rows of all accounts, for a person who looks at them.
extension SharedLedger {
  func records() async throws(LedgerFault) -> [LedgerRecord] {
    let records = await link.perform { [self] session throws(RedisError) in
      var records: [LedgerRecord] = []
      for key in try session.quotaKeys() {
        let bytes = try session.send([[Array("GET".utf8), key]])[0].bytes ?? []
        guard let row = SharedRow(bytes) else { continue }
        let seen = self.row(row, session.run, lastSeen: nil)
        records.append(LedgerRecord(key: LedgerKey(bytes: key), row: seen))
      }
      return records
    }
    guard let records = records.result else { throw LedgerFault(words) }
    return records
  }

  /// Changes a row where it lies; who uses it takes it for changed, not for lost.
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

extension SharedSession {
  /// Where the rows of quotas lie.
  fileprivate func quotaKeys() throws(RedisError) -> [[UInt8]] {
    let pattern = SharedKeys.quota([]) + Array("*".utf8)
    let length = SharedKeys.quota([]).count
    var (cursor, keys): ([UInt8], Set<[UInt8]>) = (Array("0".utf8), [])
    repeat {
      let words = [Array("SCAN".utf8), cursor, Array("MATCH".utf8), pattern]
      let more = ["COUNT", "1000", "TYPE", "string"].map { Array($0.utf8) }
      let reply = try send([words + more])[0].list ?? []
      cursor = reply.first?.bytes ?? Array("0".utf8)
      // Beside a row its turn may lie, whose name goes on behind a colon.
      keys.formUnion(
        (reply.last?.list ?? []).compactMap(\.bytes)
          .filter { !$0.dropFirst(length).contains(UInt8(ascii: ":")) }
      )
    } while cursor != Array("0".utf8)
    return Array(keys)
  }
}
