import SondeAddresses
import SondeProviders
import SondeRecords
import SondeSystem

/// The values of a row of records that a summary uses.
struct RecordValue {
  private var block = RecordBlock()
  private var record = Record(address: nil, status: .invalid)
  private var status: Status?
  private var source = ""
  private let keepsAll: Bool
  /// The current text, unescaped.
  private var text: [UInt8] = []

  /// Creates an empty value; `keepsAll` means that more fields are needed than the counted ones.
  init(keepsAll: Bool) { self.keepsAll = keepsAll }

  /// Reads a separated row; returns why it is not a record, if so.
  mutating func read(_ rows: RecordRows, _ form: RecordForm, in bytes: Span<UInt8>) -> String? {
    begin()
    switch form.kind {
    case .csv, .tsv:
      guard let row = rows.delimited, row.fields.count == form.columns.count else {
        return "it has not as many fields as the header"
      }
      for (index, field) in form.columns.enumerated() where field.isCounted || keepsAll {
        take(bytes.extracting(row.content(index, in: bytes)))
        if form.kind == .csv { text.unquote() } else { text.unescape() }
        if let flaw = set(field) { return flaw }
      }
    case .ndjson, .json:
      guard !rows.json.members.isEmpty else { return "it is no JSON object" }
      for member in rows.json.members {
        guard let field = bytes.field(member.name), field.isCounted || keepsAll else { continue }
        if bytes[member.value.lowerBound] == UInt8(ascii: "\"") {
          text.removeAll(keepingCapacity: true)
          let string = member.value.lowerBound + 1..<member.value.upperBound - 1
          text.append(meaningOfJSON: bytes.extracting(string))
        } else {
          take(bytes.extracting(member.value))
          if text == Array("null".utf8) { continue }
        }
        if let flaw = set(field) { return flaw }
      }
    }
    return nil
  }

  /// Starts a row without values.
  mutating func begin() {
    block.bytes.removeAll(keepingCapacity: true)
    record = Record(address: nil, status: .invalid)
    (status, source) = (nil, "")
  }

  /// Sets the value of a field; returns why it is invalid, if so.
  mutating func set(_ field: Field, _ value: Span<UInt8>) -> String? {
    guard field.isCounted || keepsAll else { return nil }
    take(value)
    return set(field)
  }

  func count(in book: any RecordBook) {
    var record = record
    record.status = status ?? .invalid
    if keepsAll { record.source = Source.all.first { $0.name == source } }
    book.count(record, of: block, status: status, source: source)
  }

  private mutating func take(_ value: Span<UInt8>) {
    text.removeAll(keepingCapacity: true)
    text.append(copying: value)
  }

  /// Sets the value of a field to the current text; returns why it is invalid, if so.
  private mutating func set(_ field: Field) -> String? {
    guard !text.isEmpty else { return nil }
    switch field {
    case .ip: setAddress()
    case .status:
      status = Status.allCases.first { $0.name.utf8.elementsEqual(text) }
      return status == nil ? "its status is none of Sonde's" : nil
    case .source: source = String(decoding: text, as: UTF8.self)
    case .latitude: record.latitude = Double(String(decoding: text, as: UTF8.self)) ?? .nan
    case .longitude: record.longitude = Double(String(decoding: text, as: UTF8.self)) ?? .nan
    case .asn: record.asn = UInt32(String(decoding: text, as: UTF8.self)) ?? 0
    case .line: record.place.line = UInt64(String(decoding: text, as: UTF8.self)) ?? 0
    case .time: record.place.time = moment
    case .hits:
      let hits = UInt64(String(decoding: text, as: UTF8.self)) ?? 1
      note { $0.hits = min(hits, Self.mostHits) }
    case .firstSeen, .lastSeen:
      let moment = moment
      note { $0.note(moment) }
    case .cached: record.isCached = isTrue
    case .mobile: record.isMobile = isTrue
    case .proxy: record.isProxy = isTrue
    case .hosting: record.isHosting = isTrue
    case .tor: record.isTor = isTrue
    case .vpn: record.isVPN = isTrue
    case .relay: record.isRelay = isTrue
    case .accuracyRadius:
      record.accuracyRadius = UInt16(String(decoding: text, as: UTF8.self))
    case .fetchedAt: record.fetchedAt = Timestamp(wholeSeconds: text.span)?.seconds
    default: if let field = field.textField { record[field] = appended() }
    }
    return nil
  }

  /// More hits of one record count as these, so that no sum of any file's overflows.
  private static let mostHits: UInt64 = 1 << 40

  /// The current text as a time in milliseconds since 1970 UTC; `nil` if it is none.
  private var moment: Int64? {
    Timestamp(wholeSeconds: text.span).flatMap { $0.seconds < 0 ? nil : $0.seconds * 1000 }
  }

  /// Adds the current text to the totals of the record.
  private mutating func note(_ body: (inout Totals) -> Void) {
    var totals = record.totals ?? Totals()
    body(&totals)
    record.totals = totals
  }

  /// Whether the current text is true, in the form of a table or of text.
  private var isTrue: Bool { text == Array("true".utf8) || text == Array("1".utf8) }

  private mutating func appended() -> TextRange {
    let text = text
    return block.append(text: text.span)
  }

  /// Sets the address with its zone; an invalid item leaves the record without one.
  private mutating func setAddress() {
    let mark = text.firstIndex(of: UInt8(ascii: "%")) ?? text.count
    record.address = Address(ascii: text.span.extracting(0..<mark))
    guard record.address != nil, mark + 1 < text.count else { return }
    let text = text
    record[.item] = block.append(text: text.span.extracting((mark + 1)...))
  }
}

extension Field {
  /// Whether a summary uses its values.
  fileprivate var isCounted: Bool {
    switch self {
    case .ip, .status, .source, .cached, .countryCode, .country, .region, .city, .latitude,
      .longitude, .asn, .asName, .time, .hits, .firstSeen, .lastSeen:
      true
    default: false
    }
  }
}
