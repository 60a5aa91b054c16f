import Addresses
import Records

/// What a row says of its entry, and what is to become of it.
struct RowVerdict {
  /// How its entry ended; ``Status/invalid`` where the row does not tell.
  var status = Status.invalid
  /// Who answered.
  var source: Source?
  /// The address to ask for again, if it is.
  var address: Address?
  /// Why the row is no record, if it is none.
  var flaw: String?

  /// A row that is no record.
  init(flaw: String) { self.flaw = flaw }

  /// Judges a row by three of its values, those of CSV and JSON alike without quotes.
  ///
  /// - Parameters:
  ///   - ip: Where the address stands.
  ///   - status: Where the status stands.
  ///   - source: Where the source stands; nothing where it has none.
  ///   - bytes: What they stand in.
  init(ip: Range<Int>, status: Range<Int>, source: Range<Int>, in bytes: Span<UInt8>) {
    guard let status = Names.statuses.value(bytes, status) else {
      flaw = "its status is none of Sonde's"
      return
    }
    self.status = status
    self.source = status == .ok ? Names.sources.value(bytes, source) : nil
    switch status {
    case .ok where source.isEmpty: flaw = "it is ok, and does not say by whom"
    case .ok where self.source != .libloc && self.source != .mmdb: return
    case .unknown, .reserved, .invalid: return
    case .ok, .failed, .networkLost:
      guard let address = Address(ascii: bytes.extracting(ip)) else {
        flaw = "its ip is no address"
        return
      }
      // Whoever wrote it there: such an address is never sent anywhere.
      if address.specialPurpose == nil { self.address = address }
    }
  }
}

/// Values by the names that they have in records.
private struct Names<Value> {
  let names: [(value: Value, name: [UInt8])]

  /// The value whose name stands in a range.
  func value(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Value? {
    names.first { bytes.holds($0.name, at: range) }?.value
  }
}

extension Names<Status> {
  fileprivate static let statuses = Names(
    names: Status.allCases.map { ($0, Array($0.name.utf8)) }
  )
}

extension Names<Source> {
  fileprivate static let sources = Names(
    names: Source.allCases.map { ($0, Array($0.name.utf8)) }
  )
}

extension Names: Sendable where Value: Sendable {}

extension Span<UInt8> {
  /// Whether a range holds a text.
  func holds(_ text: [UInt8], at range: Range<Int>) -> Bool {
    guard range.count == text.count else { return false }
    for index in text.indices where self[range.lowerBound + index] != text[index] { return false }
    return true
  }
}
