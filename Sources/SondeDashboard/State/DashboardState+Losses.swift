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
      return [
        loss.start.withMilliseconds, loss.end?.withMilliseconds ?? "", seconds ?? "", loss.cause,
        loss.interface ?? "",
      ]
    }
    let header = ["start", "end", "seconds", "cause", "interface"]
    return ([header] + lines).flatMap { delimitedLine($0, by: ",") }
  }
}

extension DashboardState {
  /// The last losses of a scan, in chronological order.
  ///
  /// - Parameters:
  ///   - scan: The scan's id; `nil` for those of this machine that an earlier version kept here.
  ///   - limit: The maximum number.
  /// - Returns: The losses.
  /// - Throws: ``StateError``.
  public func losses(of scan: String?, limit: Int = 10_000) throws(StateError) -> [KeptLoss] {
    let (items, _) = try page(
      """
      SELECT number, begin, end, cause, interface FROM losses
      WHERE scan IS ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3
      """,
      of: scan,
      before: nil,
      limit: limit
    ) { row in
      KeptLoss(
        start: Timestamp(milliseconds: row.number(1)),
        end: row.optionalNumber(2).map { Timestamp(milliseconds: $0) },
        cause: row.text(3),
        interface: row.optionalText(4)
      )
    }
    return items.reversed()
  }

  /// Stores the start of a loss, unless one has already begun, whatever its cause.
  func beginLoss(_ loss: KeptLoss, of scan: String) throws(StateError) {
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

  func endLoss(of scan: String, at moment: Timestamp = .now) throws(StateError) {
    try run(
      "UPDATE losses SET end = max(begin, ?2) WHERE scan IS ?1 AND end IS NULL",
      with: [.text(scan), .number(moment.milliseconds)]
    )
  }

  /// Deletes the losses of this machine, which are kept elsewhere now.
  func forgetOwnLosses() throws(StateError) {
    try run("DELETE FROM losses WHERE scan IS NULL", with: [])
  }

  /// Deletes look-ups and losses of scans from before a moment.
  func forget(before moment: Timestamp) throws(StateError) {
    try run(
      "DELETE FROM lookups WHERE asked < ?",
      "DELETE FROM losses WHERE begin < ? AND scan IS NOT NULL",
      with: [.number(moment.milliseconds)]
    )
  }
}
