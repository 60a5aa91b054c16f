/// What an encoder knows of a column before the first record.
struct Column: Sendable {
  /// How the value of a column is held in a record.
  enum Content: Sendable {
    /// The address, or the raw item.
    case address
    /// A text of the block.
    case text(TextField)
    /// The name of the input.
    case input
    /// A keyword or a moment: text that no format has to escape.
    case word
    /// A number or a boolean.
    case literal
  }

  /// The column.
  let field: Field

  /// How its value is held.
  let content: Content

  /// `"name":`, and the quote that opens a text.
  let key: ShortText

  /// The most bytes of a key, its quotes and comma included, or of a value that is not a text.
  static let fixedCapacity = 3 * ShortText.capacity

  init(_ field: Field) {
    self.field = field
    content = field.content
    let quote = field.isText ? "\"" : ""
    key = ShortText("\"\(field.name)\":\(quote)")
  }
}

extension Field {
  /// Whether the values are texts, which JSON quotes.
  var isText: Bool {
    if case .literal = content { false } else { true }
  }

  /// How a record holds the value.
  var content: Column.Content {
    switch self {
    case .ip: .address
    case .status, .source, .fetchedAt: .word
    case .latitude, .longitude, .asn, .cached, .line, .mobile, .proxy, .hosting: .literal
    case .input: .input
    case .countryCode: .text(.countryCode)
    case .country: .text(.country)
    case .region: .text(.region)
    case .city: .text(.city)
    case .postalCode: .text(.postalCode)
    case .timezone: .text(.timezone)
    case .asName: .text(.asName)
    case .isp: .text(.isp)
    case .org: .text(.org)
    case .hostname: .text(.hostname)
    case .message: .text(.message)
    case .network: .text(.network)
    case .continentCode: .text(.continentCode)
    case .regionCode: .text(.regionCode)
    }
  }
}
