import SondeAddresses
package import SondeLive
package import SondePage
import SondeRecords
import SondeSQLite
import SondeSummary
import SondeSystem

extension LogDesk {
  /// The first rows of each table of a log's hits, and their totals, as the API has them.
  ///
  /// - Throws: ``DashboardError`` if there is no log of the id, or the condition is invalid.
  package func summary(_ id: String, _ query: LogQuery, top: Int) async throws -> [UInt8] {
    let name = try log(id).name
    let (counts, pending) = try await read(id, query) { hits throws(SQLiteError) in
      (try hits.counts(), try hits.pending().count)
    }
    var report = SummaryReport(title: name, madeAt: Timestamp.now.seconds)
    var rules = SummaryReport.Rules()
    rules.hasChoices = false
    report.take(counts, rules)
    var object = JSONObject()
    object.add(RecordDesk.tables.filter { !$0.kind.isTimeline }, of: report, top: top)
    var total = JSONObject()
    total.add("hits", report.totals.hits)
    total.add("addresses", report.totals.addresses)
    total.add("pending", pending)
    object.add("total", total)
    return object.bytes
  }

  /// The hits of a log over time, without gaps, as the API has them.
  ///
  /// - Throws: ``DashboardError`` as ``summary(_:_:top:)``.
  package func rate(_ id: String, _ query: LogQuery) async throws -> [UInt8] {
    let (hits, range) = try await read(id, query) { hits throws(SQLiteError) in
      (try hits.overTime(), hits.range)
    }
    let step = query.length.rawValue
    let items = stride(from: range.lowerBound, to: range.upperBound, by: Int(step)).map { start in
      var item = JSONObject()
      item.add("at", Timestamp(seconds: start).wholeSeconds)
      item.add("hits", hits[start] ?? 0)
      return item
    }
    var object = JSONObject()
    object.add("step", step)
    object.add("items", objects: items)
    return object.bytes
  }

  /// The places of a log's hits within `bounds`, with neighbours merged as for a scan.
  ///
  /// - Throws: ``DashboardError`` as ``summary(_:_:top:)``.
  package func places(
    _ id: String,
    _ query: LogQuery,
    zoom: Int,
    bounds: MapBounds
  ) async throws -> [ScanPlace] {
    let points = try await read(id, query) { hits throws(SQLiteError) in try hits.places() }
    return PlaceClusters.places(of: points, zoom: zoom, bounds: bounds)
  }

  private func read<Result: Sendable>(
    _ id: String,
    _ query: LogQuery,
    _ body: @escaping @Sendable (LogHits) throws(SQLiteError) -> Result
  ) async throws -> Result {
    let log = try log(id)
    return try await records.pool.run(for: query.user) { [records] stop in
      do {
        guard let rows = try ScanTableReader(log.file, until: stop) else {
          throw DashboardError(.disk, "the log cannot be read")
        }
        var choice = RecordChoice()
        choice.condition = query.condition
        let condition = try records.condition(choice, in: rows)
        return try body(LogHits(query.length, condition, at: Timestamp.now.seconds, in: rows))
      } catch let error as SQLiteError {
        throw DashboardError(.disk, "the log cannot be read: \(error.message)")
      }
    }
  }
}
