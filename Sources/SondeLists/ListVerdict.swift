import SondeInputs
import SondeProviders
import SondeRecords

/// Whether a fetched list may replace the former one.
enum ListVerdict: Equatable {
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
    let first = body.first { !$0.isJSONSpace }
    guard let first else { return .refused("is empty") }
    guard first != UInt8(ascii: "<") else { return .refused("is HTML, perhaps a login page") }
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
    if rows == 0 { return .refused("has no networks") }
    if odd * 100 > rows + odd {
      return .refused("has \(odd) odd \(odd == 1 ? "line" : "lines") of \(rows + odd)")
    }
    if !isSame { return .refused("is another list") }
    if rows * 2 < former { return .refused("has \(rows) networks, and the former one \(former)") }
    return .fine(rows: rows, odd: odd)
  }
}
