import SondeAddresses
import SondeRedis
import SondeSystem

extension SharedAnswers {
  func page(after cursor: CacheCursor?, limit: Int) async -> CachePage? {
    guard let (page, last) = await list(behind: cursor.map { Int($0.row) }, limit) else {
      return nil
    }
    var listed = page
    listed.next = last.map { CacheCursor(file: FileIdentity(device: 0, number: 0), row: Int64($0)) }
    return listed
  }

  func page(before row: Int?, limit: Int) async -> (answers: CachePage, next: Int?)? {
    await list(behind: row, backwards: true, limit).map { ($0, $1) }
  }

  /// Lists answers in order of arrival; returns them with the last arrival if there may be more, or
  /// `nil` if the server is unavailable.
  private func list(
    behind row: Int?,
    backwards isBackwards: Bool = false,
    _ limit: Int
  ) async -> (page: CachePage, last: Int?)? {
    let bounds =
      isBackwards
      ? ["ZREVRANGEBYSCORE", row.map { "(\($0)" } ?? "+inf", "-inf"]
      : ["ZRANGEBYSCORE", row.map { "(\($0)" } ?? "-inf", "+inf"]
    let words = [
      bounds[0], bounds[1], bounds[2], "WITHSCORES", "LIMIT", "0", "\(max(1, limit))",
    ].map { Array($0.utf8) }
    let arrivals = await use { session throws(RedisError) in
      try session.send([[words[0], SharedKeys.arrivals] + words[1...]])[0]
    }
    guard let arrivals else { return nil }
    let pairs = Self.pairs(arrivals)
    var (addresses, rows): ([Address], [Int]) = ([], [])
    for (name, value) in pairs {
      guard let address = Address(String(decoding: name, as: UTF8.self)),
        let row = Int(String(decoding: value, as: UTF8.self))
      else { continue }
      addresses.append(address)
      rows.append(row)
    }
    guard let found = await find(addresses, { $0 }) else {
      tell()
      return nil
    }
    var page = CachePage(found.stored, found.scopes, next: nil)
    page.rows = page.rows.map { rows[$0] }
    page.keepNewest()
    return (page, pairs.count < limit ? nil : rows.last)
  }

  func entries(of addresses: [Address]) async -> CachePage? {
    await saveRest()
    let found = await find(addresses) { $0 }
    guard let found else {
      tell()
      return nil
    }
    var page = CachePage(found.stored, found.scopes, next: nil)
    page.keepNewest()
    return page
  }

  func statistics() async -> CacheStatistics? {
    @Sendable func range(_ command: String) -> [[UInt8]] {
      [Array(command.utf8), SharedKeys.arrivals] + ["0", "0", "WITHSCORES"].map { Array($0.utf8) }
    }
    return await use { session throws(RedisError) in
      let count = [Array("ZCARD".utf8), SharedKeys.arrivals]
      let memory = [Array("INFO".utf8), Array("memory".utf8)]
      let replies = try session.send([count, range("ZRANGE"), range("ZREVRANGE"), memory])
      var statistics = CacheStatistics()
      statistics.answers = Int(replies[0].number ?? 0)
      func second(_ reply: RedisReply) -> Int64? {
        reply.list?.last?.text.flatMap { Int64($0) }.map { $0 / 1_000_000 }
      }
      (statistics.oldest, statistics.newest) = (second(replies[1]), second(replies[2]))
      let name = "used_memory:"
      let line = replies[3].text?.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) }
      statistics.bytes = line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
      return statistics
    }
  }

  func delete(_ addresses: [Address]) async -> Int? {
    let names = Set(addresses).map { (Array($0.description.utf8), $0.keptKey) }
    return await use { session throws(RedisError) in
      let replies = try session.send(
        names.flatMap { name, key in
          [
            [Array("UNLINK".utf8), SharedKeys.answers(name)],
            [Array("ZREM".utf8), SharedKeys.arrivals, name],
            [Array("UNLINK".utf8), SharedKeys.text(key)],
          ]
        }
      )
      return stride(from: 0, to: replies.count, by: 3).count { index in
        replies[index].number == 1 || replies[index + 2].number == 1
      }
    }
  }

  @discardableResult
  func delete(olderThan age: Duration) async -> Int? {
    let latest = (link.now - age).components
    let microseconds = latest.seconds * 1_000_000 + latest.attoseconds / 1_000_000_000_000
    let words = ["ZRANGEBYSCORE", "-inf", "\(microseconds)"].map { Array($0.utf8) }
    let old = await use { session throws(RedisError) in
      try session.send([[words[0], SharedKeys.arrivals] + words[1...]])[0]
    }
    guard let names = old?.list?.compactMap(\.text) else { return nil }
    var count = 0
    for start in stride(from: 0, to: names.count, by: Self.batch) {
      let addresses = names[start..<min(start + Self.batch, names.count)].compactMap { Address($0) }
      guard let removed = await delete(addresses) else { return nil }
      count += removed
    }
    return count
  }

  @discardableResult
  func clear() async -> Bool {
    await saveRest()
    for pattern in [SharedKeys.answers(Array("*".utf8)), SharedKeys.text(Array("*".utf8))] {
      let removed = await link.eachPage(of: pattern) { session, keys throws(RedisError) in
        _ = try session.send([[Array("UNLINK".utf8)] + keys])
        return [Void]()
      }
      guard removed.result != nil else {
        tell()
        return false
      }
    }
    let done: Void? = await use { session throws(RedisError) in
      _ = try session.send([[Array("UNLINK".utf8), SharedKeys.arrivals, SharedKeys.scopes]])
    }
    return done != nil
  }

  /// Runs a body with the server, and reports failures.
  private func use<R: Sendable>(
    _ body: @escaping @Sendable (SharedSession) throws(RedisError) -> R
  ) async -> R? {
    await saveRest()
    let outcome = await link.perform(body)
    if case .gone = outcome { tell() }
    return outcome.result
  }

  private func tell() {
    if let outage = link.outage { warn("\(outage.place): \(outage.reason)") }
  }
}
