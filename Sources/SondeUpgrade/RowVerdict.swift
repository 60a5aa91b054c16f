import SondeAddresses
import SondeInputs
import SondeProviders
import SondeRecords

/// The values of a row, and its treatment.
struct RowVerdict {
  /// The status of its entry; ``Status/invalid`` if the row has none.
  var status = Status.invalid
  var source: Source?
  /// The address to ask about, if any.
  var address: Address?
  var isAsked = false
  var isFilled = false
  /// The sources that have answered before, as bits.
  var answered = 0
  /// What the line in its column `text` claims.
  var claims: CrawlerClaims = []
  /// Why the row is not a record, if so.
  var flaw: String?

  init(flaw: String) { self.flaw = flaw }

  /// Judges a row by the ranges of three values, which in CSV and JSON have no quotes.
  ///
  /// The range of the source is empty if there is none.
  init(
    ip: Range<Int>,
    status: Range<Int>,
    source: Range<Int>,
    in bytes: Span<UInt8>,
    _ fallbacks: [Source]
  ) {
    guard let status = Self.value(of: Self.statuses, bytes, status) else {
      flaw = "its status is none of Sonde's"
      return
    }
    self.status = status
    self.source = status == .ok ? Self.value(of: Self.sources, bytes, source) : nil
    switch status {
    case .ok where source.isEmpty: flaw = "it is ok, and does not say by whom"
    case .ok where !fallbacks.contains { $0 == self.source }: return
    case .unknown, .reserved, .invalid: return
    case .ok, .failed, .networkLost:
      guard let address = Address(ascii: bytes.extracting(ip)) else {
        flaw = "its ip is no address"
        return
      }
      // Special-purpose addresses are never sent, whatever the file contains.
      if address.specialPurpose == nil { (self.address, isAsked) = (address, true) }
    }
  }

  private static let statuses = Status.allCases.map { (value: $0, name: Array($0.name.utf8)) }
  private static let sources = Provider.all.flatMap(\.sources).map {
    (value: $0.source, name: Array($0.name.utf8))
  }

  /// The value whose name in records is in a range.
  private static func value<Value>(
    of names: [(value: Value, name: [UInt8])],
    _ bytes: Span<UInt8>,
    _ range: Range<Int>
  ) -> Value? {
    names.first { bytes.holds($0.name, at: range) }?.value
  }

  /// Lets sources fill columns, if the row is a record that needs it.
  mutating func fill(
    by filling: RowFilling,
    ip: Range<Int>,
    text: Range<Int>?,
    in bytes: Span<UInt8>,
    lacks: ([AddedColumn]) -> Bool,
    value: (AddedColumn) -> [UInt8]
  ) {
    guard !filling.sources.isEmpty else { return }
    if let text { claims = filling.claims?(bytes.extracting(text)) ?? [] }
    answered = filling.answered(value: value)
    guard flaw == nil, status != .invalid,
      let address = Address(ascii: bytes.extracting(ip)),
      filling.isWanted(for: address, lacks: lacks, value: value)
    else { return }
    (self.address, isFilled) = (address, true)
  }
}

extension RowVerdict {
  init(of row: DelimitedRow, _ layout: RecordLayout, in bytes: Span<UInt8>, _ fallbacks: [Source]) {
    guard let columns = layout.columns, row.fields.count == columns.fields.count else {
      self.init(flaw: "it has not as many fields as the header")
      return
    }
    self.init(
      ip: row.content(columns.ip, in: bytes),
      status: row.content(columns.status, in: bytes),
      source: row.content(columns.source, in: bytes),
      in: bytes,
      fallbacks
    )
    fill(
      by: layout.filling,
      ip: row.content(columns.ip, in: bytes),
      text: columns.fields.firstIndex(of: .text).map { row.content($0, in: bytes) },
      in: bytes,
      lacks: { !$0.allSatisfy { columns.fields.contains(.added($0)) } },
      value: { column in
        let index = columns.fields.firstIndex(of: .added(column))
        return index.map { bytes.copy(of: row.content($0, in: bytes)) } ?? []
      }
    )
  }

  init(of row: JSONRow, _ layout: RecordLayout, in bytes: Span<UInt8>, _ fallbacks: [Source]) {
    do throws(Flaw) {
      guard let ip = try row.text(Self.ip, in: bytes),
        let status = try row.text(Self.status, in: bytes)
      else { throw Flaw(reason: "it has no ip or no status") }
      let source = try row.text(Self.source, in: bytes)
      self.init(ip: ip, status: status, source: source ?? 0..<0, in: bytes, fallbacks)
      fill(
        by: layout.filling,
        ip: ip,
        text: layout.filling.claims == nil ? nil : try row.text(Self.text, in: bytes),
        in: bytes,
        // An object omits missing values.
        lacks: { !$0.contains { row.member(of: $0, in: bytes) != nil } },
        value: { row.value(of: $0, in: bytes) }
      )
    } catch {
      self.init(flaw: error.reason)
    }
  }

  private static let ip = Array("ip".utf8)
  private static let status = Array("status".utf8)
  private static let source = Array("source".utf8)
  private static let text = Array("text".utf8)
}

private struct Flaw: Error { let reason: String }

extension JSONRow {
  fileprivate func member(of column: AddedColumn, in bytes: Span<UInt8>) -> Member? {
    let name = Array(column.name.utf8)
    return members.first { bytes.holds(name, at: $0.name) }
  }

  /// The text of an added column; empty if there is none.
  func value(of column: AddedColumn, in bytes: Span<UInt8>) -> [UInt8] {
    guard let value = member(of: column, in: bytes)?.value, value.count >= 2,
      bytes[value.lowerBound] == UInt8(ascii: "\"")
    else { return [] }
    return bytes.copy(of: value.lowerBound + 1..<value.upperBound - 1)
  }

  /// The range of a member's text; `nil` if there is none.
  fileprivate func text(_ name: [UInt8], in bytes: Span<UInt8>) throws(Flaw) -> Range<Int>? {
    var found: Member?
    for member in members where bytes.holds(name, at: member.name) {
      guard found == nil else { throw Flaw(reason: "a member stands there twice") }
      found = member
    }
    guard let value = found?.value, !bytes.holds(Self.null, at: value) else { return nil }
    guard bytes[value.lowerBound] == UInt8(ascii: "\"") else {
      throw Flaw(reason: "ip, status, source or text is no text")
    }
    return value.lowerBound + 1..<value.upperBound - 1
  }

  private static let null = Array("null".utf8)
}
