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

  /// The bit of this column in ``Record/presence``.
  let presence: UInt64

  /// `"name":`, and the quote that opens a text.
  let key: ShortText

  /// The most bytes of a key, its quotes and comma included, or of a value that is not a text.
  static let fixedCapacity = 3 * ShortText.capacity

  init(_ field: Field) {
    self.field = field
    content = field.content
    presence = field.presence
    let quote = field.isText ? "\"" : ""
    key = ShortText("\"\(field.name)\":\(quote)")
  }
}

extension Record {
  /// A bit for each field that has a value, or may have one that only the encoder can tell.
  ///
  /// Most columns of most records are empty, and a bit is the quickest way past them.
  @inline(__always)
  var presence: UInt64 {
    var bits = Field.ip.ownBit | Field.status.ownBit | Field.input.ownBit
    for index in texts.indices where texts[index].count > 0 { bits |= 1 << UInt64(index) }
    if source != nil { bits |= Field.source.ownBit }
    if wasAsked { bits |= Field.cached.ownBit }
    if latitude.isFinite { bits |= Field.latitude.ownBit }
    if longitude.isFinite { bits |= Field.longitude.ownBit }
    if asn > 0 { bits |= Field.asn.ownBit }
    if line > 0 { bits |= Field.line.ownBit }
    if fetchedAt != nil { bits |= Field.fetchedAt.ownBit }
    if isMobile != nil { bits |= Field.mobile.ownBit }
    if isProxy != nil { bits |= Field.proxy.ownBit }
    if isHosting != nil { bits |= Field.hosting.ownBit }
    return bits
  }

  /// Whether somebody was asked and answered, so that `cached` has a value.
  var wasAsked: Bool { source != nil || status == .unknown }
}

extension Field {
  /// The bit of this field in ``Record/presence``.
  var presence: UInt64 {
    if case .text(let text) = content { 1 << UInt64(text.rawValue) } else { ownBit }
  }

  /// The bit of a field that is no text; those of the texts come first.
  @inline(__always)
  fileprivate var ownBit: UInt64 { 1 << UInt64(32 + rawValue) }

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
