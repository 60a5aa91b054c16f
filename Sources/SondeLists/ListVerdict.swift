import SondeCatalog
import SondeInputs
import SondeProviders
import SondeRecords

/// Whether a fetched list may replace the former one.
package enum ListVerdict: Equatable {
  /// It may replace it; with the numbers of networks and invalid lines.
  case fine(rows: Int, odd: Int)
  /// It may not replace it, with the reason.
  case refused(String)

  /// Checks a server's answer; `former` is the number of networks in the former list, or 0.
  ///
  /// Such lists have been empty (openwrt/packages #20391), have contained a line `Thu` (tor-ddos
  /// #86), or were login pages.
  init(of body: [UInt8], as list: PublishedList, former: Int) {
    self = Self.judge(body, list, former)
  }

  private static func judge(_ body: [UInt8], _ list: PublishedList, _ former: Int) -> ListVerdict {
    if let reason = flaw(of: body) { return .refused(reason) }
    guard !list.isDirectory else { return judge(directory: body, list, former) }
    var parser = TableParser(published: list.columns, named: list.name)
    do throws(TableFileError) {
      try parser.readAll(body.span)
    } catch {
      return .refused("is no such list: \(error.reason)")
    }
    let rows = parser.distinctCount
    return judge(rows: rows, odd: parser.odd, list, former, isSame: parser.hasExpectedValues)
  }

  /// Why an answer is no list, by its first character; `nil` if it may be one.
  package static func flaw(of body: [UInt8]) -> String? {
    guard let first = body.first(where: { !$0.isJSONSpace }) else { return "is empty" }
    return first == UInt8(ascii: "<") ? "is HTML, perhaps a login page" : nil
  }

  /// The number of networks in a stored list, counted as in a new one.
  static func rows(of stored: StoredList, _ list: PublishedList) -> Int {
    guard case .fine(let rows, _) = ListVerdict(of: stored.body, as: list, former: 0) else {
      return stored.rows
    }
    return rows
  }

  private static func judge(
    directory body: [UInt8],
    _ list: PublishedList,
    _ former: Int
  ) -> ListVerdict {
    do throws(RegistryDirectory.ReadingError) {
      let count = try RegistryDirectory(parsing: body).count
      return judge(rows: count, odd: 0, list, former, isSame: true)
    } catch {
      return .refused(error.reason)
    }
  }

  private static func judge(
    rows: Int,
    odd: Int,
    _ list: PublishedList,
    _ former: Int,
    isSame: Bool
  ) -> ListVerdict {
    if rows > 0, odd * 100 <= rows + odd, !isSame { return .refused("is another list") }
    return flaw(rows: rows, odd: odd, former: former).map { .refused($0) }
      ?? .fine(rows: rows, odd: odd)
  }

  /// Why a list with some networks and invalid lines may not replace the former one; `nil` if it
  /// may.
  package static func flaw(rows: Int, odd: Int, former: Int) -> String? {
    if rows == 0 { return "has no networks" }
    if odd * 100 > rows + odd {
      return "has \(odd) odd \(odd == 1 ? "line" : "lines") of \(rows + odd)"
    }
    return rows * 2 < former ? "has \(rows) networks, and the former one \(former)" : nil
  }
}
