import SondeInputs
public import SondeRecords

/// The table of a scan's records at one moment.
public struct ScanTable: Sendable, Equatable {
  /// Created when the scan starts.
  let path: String
  let inputName: String

  /// The upload, and how it is read; `nil` if its occurrences are not counted.
  var upload: Upload?

  /// The user whose turn its readers wait for.
  var user = ""

  /// An upload as it was received.
  struct Upload: Sendable, Equatable {
    let path: String
    let mode: InputMode
    /// The maximum unpacked bytes.
    let longestUnpacked: UInt64
  }

  /// A number that differs if the rows may have changed.
  let revision: Int

  /// Whether records are being written, so that only the order of the input is possible.
  public let isChanging: Bool

  /// Whether rows that are there already get other answers, as while a scan is retried.
  var isRewritten = false
}

/// Selects and orders records.
public struct RecordQuery: Sendable, Equatable {
  /// The maximum number of records per page.
  public static let longestPage = 500

  /// A column to sort by; empty values come last.
  public struct Order: Sendable, Hashable {
    /// The column.
    public var field: Field

    /// Whether the order is descending.
    public var isDescending: Bool
    package static let advice = "“sort” must be a column, or one behind a -"

    /// Creates an order by a column.
    public init(by field: Field, isDescending: Bool = false) {
      (self.field, self.isDescending) = (field, isDescending)
    }

    /// Parses `city`, or `-city` for descending order.
    ///
    /// An unknown name is taken as a column added by a source; the table shows whether it exists.
    public init?(text: some StringProtocol) {
      let isDescending = text.hasPrefix("-")
      let name = isDescending ? text.dropFirst() : text[...]
      let field = Field(name: name) ?? .added(AddedColumn(name: String(name)))
      guard RecordColumns.mayHave(field) else { return nil }
      self.init(by: field, isDescending: isDescending)
    }
  }

  /// The page, starting at 1.
  public var page = 1

  /// The records per page, up to ``longestPage``.
  public var size = 100

  /// The order; `nil` for that of the input, which is always used while a scan runs.
  public var order: Order?

  /// Which records are wanted.
  public var choice = RecordChoice()

  /// Selects the first page of all records.
  public init() {}
}

/// A page of records.
public struct RecordPage: Sendable {
  /// The records as JSON objects.
  public var items: [[UInt8]] = []

  /// The page, starting at 1.
  public var page: Int

  /// The number of pages, at least one.
  public var pages: Int

  /// The number of records; of a search, those of the first matches that are counted.
  public var total: Int

  /// Whether there are further matches.
  public var hasMore = false

  /// The fields that have a value in any record of the table.
  public var columns: [String] = []

  /// The page as returned by the API.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("items", array: items)
    object.add("page", page)
    object.add("pages", pages)
    object.add("total", total)
    object.add("more", hasMore)
    object.add("columns", columns)
    return object
  }
}
