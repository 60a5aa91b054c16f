public import SondeRecords

/// The table of a scan's records, as it is at a moment.
public struct ScanTable: Sendable, Equatable {
  /// The file of the database; not there before the scan has begun.
  let path: String

  /// What a person calls the input.
  let inputName: String

  /// Another one where the rows may have changed.
  let revision: Int

  /// Whether records are written to it, so that they come in the order of the input only.
  public let isChanging: Bool
}

/// Which records are wanted, and in which order.
public struct RecordQuery: Sendable, Equatable {
  /// The most records of a page.
  public static let longestPage = 500

  /// A column by which they are ordered; what has no value comes last.
  public struct Order: Sendable, Hashable {
    /// The column.
    public var field: Field

    /// Whether the greatest comes first.
    public var isDescending: Bool

    /// What a text must be, for a person.
    package static let advice = "“sort” must be a column, or one behind a -"

    /// Orders by a column.
    public init(by field: Field, isDescending: Bool = false) {
      (self.field, self.isDescending) = (field, isDescending)
    }

    /// Reads `city`, or `-city` for the other direction.
    ///
    /// A name that no table must have is taken for that of a column that a source has added; whether
    /// there is one shows in the table.
    public init?(text: some StringProtocol) {
      let isDescending = text.hasPrefix("-")
      let name = isDescending ? text.dropFirst() : text[...]
      let field = Field(name: name) ?? .added(AddedColumn(name: String(name)))
      guard RecordColumns.mayHave(field) else { return nil }
      self.init(by: field, isDescending: isDescending)
    }
  }

  /// The page, from 1.
  public var page = 1

  /// The records of a page, up to ``longestPage``.
  public var size = 100

  /// The order; `nil` for that of the input, which also holds while a scan is at work.
  public var order: Order?

  /// A text that a value must hold, whatever the case of its letters; empty for any record.
  public var filter = ""

  /// How the entries must have ended; `nil` for any.
  public var status: Status?

  /// Asks for the first page of everything.
  public init() {}
}

/// A page of records.
public struct RecordPage: Sendable {
  /// The records, each as a JSON object.
  public var items: [[UInt8]] = []

  /// The page, from 1.
  public var page: Int

  /// How many pages there are, at least one.
  public var pages: Int

  /// How many records there are.
  public var total: Int

  /// The page as the API tells it.
  public var json: JSONObject {
    var object = JSONObject()
    object.add(
      "items",
      json: [UInt8(ascii: "[")] + items.joined(separator: [UInt8(ascii: ",")])
        + [UInt8(ascii: "]")]
    )
    object.add("page", page)
    object.add("pages", pages)
    object.add("total", total)
    return object
  }
}
