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
    object.add("end", optional: end?.withMilliseconds)
    if let end {
      object.add("seconds", Double(end.milliseconds - start.milliseconds) / 1000)
    } else {
      object.addNull("seconds")
    }
    object.add("cause", cause)
    object.add("interface", optional: interface)
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
    let (items, next) = try page(
      """
      SELECT number, begin, end, cause, interface FROM losses
      WHERE scan IS ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3
      """,
      of: scan,
      before: number,
      limit: limit
    ) { row in
      KeptLoss(
        start: Timestamp(milliseconds: row.number(1)),
        end: row.optionalNumber(2).map { Timestamp(milliseconds: $0) },
        cause: row.text(3),
        interface: row.optionalText(4)
      )
    }
    return (items.reversed(), next)
  }

  /// Stores the start of a loss, unless one has already begun, whatever its cause.
  func beginLoss(_ loss: KeptLoss, of scan: String? = nil) throws(StateError) {
    try run(
      """
      INSERT INTO losses (scan, begin, cause, interface) SELECT ?1, ?2, ?3, ?4
      WHERE NOT EXISTS (SELECT 1 FROM losses WHERE scan IS ?1 AND end IS NULL)
      """,
      with: [
        .text(scan), .number(loss.start.milliseconds), .text(loss.cause), .text(loss.interface),
      ]
    )
  }

  func endLoss(of scan: String? = nil, at moment: Timestamp = .now) throws(StateError) {
    try run(
      "UPDATE losses SET end = max(begin, ?2) WHERE scan IS ?1 AND end IS NULL",
      with: [.text(scan), .number(moment.milliseconds)]
    )
  }

  /// Deletes look-ups and losses from before a moment.
  func forget(before moment: Timestamp) throws(StateError) {
    try run(
      "DELETE FROM lookups WHERE asked < ?",
      "DELETE FROM losses WHERE begin < ?",
      with: [.number(moment.milliseconds)]
    )
  }
}
