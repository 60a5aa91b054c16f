public import SondeRecords

/// What one source says of an address.
public struct Opinion: Sendable, Equatable {
  /// Whether it has answered.
  public var status = Status.ok
  /// The code of the country (ISO 3166-1 alpha-2) in capitals; empty if it names none.
  public var countryCode = ""
  /// The city; empty if it names none.
  public var city = ""
  /// The place; `nil` if it gives none.
  public var position: GeographicPosition?
  /// The number of the autonomous system; 0, which is reserved (RFC 7607), if it names none.
  public var asn: UInt32 = 0

  /// Creates an answer that says nothing.
  public init() {}

  /// Reads a source's record; only one that has answered says anything.
  public init(_ record: Record, of block: borrowing RecordBlock) {
    status = record.status
    guard status == .ok else { return }
    let code = block.text(.countryCode, of: record) ?? ""
    countryCode = code.utf8.allSatisfy { 0x41...0x5a ~= $0 } ? code : code.uppercased()
    city = block.text(.city, of: record) ?? ""
    position = GeographicPosition(latitude: record.latitude, longitude: record.longitude)
    asn = record.asn
  }
}
