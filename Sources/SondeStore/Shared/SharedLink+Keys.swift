import SondeRedis

extension SharedLink {
  /// Processes the keys that match a pattern, page by page.
  ///
  /// Each page is a separate call, since the server iterates over all other keys, too, of which
  /// there may be millions (https://redis.io/commands/scan).
  /// - Parameters:
  ///   - pattern: The pattern in the syntax of SCAN's MATCH.
  ///   - body: Receives the keys of a page; one that is changed meanwhile may occur twice.
  /// - Returns: The results of all pages.
  nonisolated func eachPage<R: Sendable>(
    of pattern: [UInt8],
    _ body: @escaping @Sendable (SharedSession, [[UInt8]]) throws(RedisError) -> [R]
  ) async -> SharedOutcome<[R]> {
    let start = Array("0".utf8)
    var (results, cursor): ([R], [UInt8]) = ([], start)
    repeat {
      let page = await perform { [cursor] session throws(RedisError) in
        let words = [Array("SCAN".utf8), cursor, Array("MATCH".utf8), pattern]
        let reply = try session.send([words + ["COUNT", "10000"].map { Array($0.utf8) }])[0].list
        let keys = (reply?.last?.list ?? []).compactMap(\.bytes)
        let found = keys.isEmpty ? [] : try body(session, keys)
        return (next: reply?.first?.bytes ?? start, found: found)
      }
      switch page {
      case .done(let page): (cursor, results) = (page.next, results + page.found)
      case .gone: return .gone
      case .full(let words): return .full(words)
      case .cancelled: return .cancelled
      }
    } while cursor != start
    return .done(results)
  }
}
