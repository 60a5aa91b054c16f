public import SondeRecords
import SondeSQLite
public import SondeSystem

/// A time without network.
public struct KeptLoss: Sendable, Equatable {
  /// When it began.
  public var start: Timestamp

  /// When the network was back; `nil` while it is lost.
  public var end: Timestamp?

  /// The cause as in events, for instance `link_down`.
  public var cause: String

  /// The interface concerned.
  public var interface: String?

  /// The loss as returned by the API.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("start", start.withMilliseconds)
    if let end { object.add("end", end.withMilliseconds) } else { object.addNull("end") }
    if let end {
      object.add("seconds", Double(end.milliseconds - start.milliseconds) / 1000)
    } else {
      object.addNull("seconds")
    }
    object.add("cause", cause)
    if let interface { object.add("interface", interface) } else { object.addNull("interface") }
    return object
  }
}

extension KeptLoss {
  /// Losses as CSV (RFC 4180), in the columns of ``json``.
  public static func csv(_ losses: [KeptLoss]) -> [UInt8] {
    let lines = losses.map { loss in
      let seconds = loss.end.map { end in
        var text: [UInt8] = []
        appendShortest(Double(end.milliseconds - loss.start.milliseconds) / 1000, to: &text)
        return String(decoding: text, as: UTF8.self)
      }
      let values = [
        loss.start.withMilliseconds, loss.end?.withMilliseconds ?? "", seconds ?? "", loss.cause,
        quoted(loss.interface ?? ""),
      ]
      return values.joined(separator: ",") + "\n"
    }
    return Array(("start,end,seconds,cause,interface\n" + lines.joined()).utf8)
  }

  /// Interface names may contain anything except slashes and blanks.
  private static func quoted(_ text: String) -> String {
    guard text.contains(where: { "\",".contains($0) }) else { return text }
    return "\"" + text.map { $0 == "\"" ? "\"\"" : "\($0)" }.joined() + "\""
  }
}

extension DashboardState {
  /// The last losses, in chronological order: of a scan, or of this machine if `scan` is `nil`.
  ///
  /// - Parameters:
  ///   - scan: The scan's id.
  ///   - number: Only losses before this one; `nil` for the last ones.
  ///   - limit: The maximum number.
  /// - Returns: The losses, and the number of the first one if there are more before it.
  /// - Throws: ``StateError``.
  public func losses(
    of scan: String? = nil,
    before number: Int64? = nil,
    limit: Int = 10_000
  ) throws(StateError) -> (items: [KeptLoss], next: Int64?) {
    try perform { database throws(SQLiteError) in
      let query = try database.statement(
        """
        SELECT number, begin, end, cause, interface FROM losses
        WHERE scan IS ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3
        """
      )
      query.bind(1, optional: scan)
      query.bind(2, number ?? .max)
      query.bind(3, Int64(limit) + 1)
      defer { query.reset() }
      var (items, first): ([KeptLoss], Int64?) = ([], nil)
      while try query.step() {
        if items.count == limit { return (items.reversed(), first) }
        first = query.number(0)
        let end = query.optionalNumber(2).map { Timestamp(milliseconds: $0) }
        items.append(
          KeptLoss(
            start: Timestamp(milliseconds: query.number(1)),
            end: end,
            cause: query.text(3),
            interface: query.optionalText(4)
          )
        )
      }
      return (items.reversed(), nil)
    }
  }

  /// Stores the start of a loss, unless one has already begun, whatever its cause.
  func beginLoss(_ loss: KeptLoss, of scan: String? = nil) throws(StateError) {
    try perform { database throws(SQLiteError) in
      let insertion = try database.statement(
        """
        INSERT INTO losses (scan, begin, cause, interface) SELECT ?1, ?2, ?3, ?4
        WHERE NOT EXISTS (SELECT 1 FROM losses WHERE scan IS ?1 AND end IS NULL)
        """
      )
      insertion.bind(1, optional: scan)
      insertion.bind(2, loss.start.milliseconds)
      insertion.bind(3, loss.cause)
      insertion.bind(4, optional: loss.interface)
      try insertion.run()
    }
  }

  func endLoss(of scan: String? = nil, at moment: Timestamp = .now) throws(StateError) {
    try perform { database throws(SQLiteError) in
      let change = try database.statement(
        "UPDATE losses SET end = max(begin, ?2) WHERE scan IS ?1 AND end IS NULL"
      )
      change.bind(1, optional: scan)
      change.bind(2, moment.milliseconds)
      try change.run()
    }
  }

  /// Deletes look-ups and losses from before a moment.
  func forget(before moment: Timestamp) throws(StateError) {
    try run(["DELETE FROM lookups WHERE asked < ?", "DELETE FROM losses WHERE begin < ?"]) {
      $0.bind(1, moment.milliseconds)
    }
  }
}
