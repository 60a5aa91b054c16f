package import SondeAddresses
import SondeRecords
package import SondeStore

/// Searches, reads and cleans the cache of answers.
package struct CacheDesk: Sendable {
  /// Rows read at a time, and the maximum for one request.
  private static let (chunk, mostRows) = (500, 50_000)

  /// `nil` if no answers are cached.
  private let store: (any AnswerStore)?
  private let encoder = RecordEncoder.ofAnswers()

  package init(_ store: (any AnswerStore)?) { self.store = store }

  /// Searches the answers, the newest first; each is a JSON object.
  ///
  /// An answer matches if its record contains `text`, ignoring case. A long search may return fewer
  /// than `limit` although more exist. The returned number is where to resume.
  /// - Throws: ``DashboardError`` if the cache cannot be read.
  package func answers(
    with text: String,
    before row: Int?,
    limit: Int
  ) async throws(DashboardError) -> (items: [[UInt8]], next: Int?) {
    guard let store else { return ([], nil) }
    let pattern = text.lowercased()
    var (items, next, count): ([[UInt8]], Int?, Int) = ([], row, 0)
    repeat {
      guard let (page, end) = await store.page(before: next, limit: Self.chunk) else {
        throw unreadable
      }
      for (record, row) in zip(page.block.records, page.rows) {
        let item = encoder.object(record, of: page.block)
        let isWanted =
          pattern.isEmpty || String(decoding: item, as: UTF8.self).lowercased().contains(pattern)
        guard isWanted else { continue }
        items.append(item)
        if items.count == limit { return (items, row) }
      }
      (next, count) = (end, count + Self.chunk)
    } while next != nil && count < Self.mostRows
    return (items, next)
  }

  /// The newest answer of an address as a JSON object; `nil` if there is none.
  package func answer(of address: Address) async throws(DashboardError) -> [UInt8]? {
    guard let store else { return nil }
    guard let page = await store.entries(of: [address]) else { throw unreadable }
    let newest = page.block.records.max { ($0.fetchedAt ?? 0) < ($1.fetchedAt ?? 0) }
    return newest.map { encoder.object($0, of: page.block) }
  }

  /// Deletes the answers of an address; false if there were none.
  package func delete(_ address: Address) async throws(DashboardError) -> Bool {
    guard let store else { return false }
    guard let count = await store.delete([address]) else { throw unreadable }
    return count > 0
  }

  package func clear() async throws(DashboardError) {
    if let store, await !store.clear() { throw unreadable }
  }

  package func statistics() async throws(DashboardError) -> CacheStatistics {
    guard let store else { return CacheStatistics() }
    guard let statistics = await store.statistics() else { throw unreadable }
    return statistics
  }

  private var unreadable: DashboardError {
    DashboardError(.disk, "the cache cannot be used at the moment")
  }
}
