public import SondeAddresses

/// How an entry ended.
public enum Status: UInt8, CaseIterable, Sendable {
  /// A provider knows something of the address.
  case ok
  /// Asked, and no provider of the list has anything about it.
  case unknown
  /// A special-purpose address, answered locally and never sent anywhere.
  case reserved
  /// Not an address.
  case invalid
  /// The provider kept failing or refused.
  case failed
  /// The network was lost before an answer came.
  case networkLost

  /// The value in the `status` column.
  public var name: String {
    switch self {
    case .ok: "ok"
    case .unknown: "unknown"
    case .reserved: "reserved"
    case .invalid: "invalid"
    case .failed: "failed"
    case .networkLost: "network_lost"
    }
  }
}

/// Who answered, by the number that stands for it in every file that Sonde keeps.
///
/// The table of providers has the numbers and their names.
public struct Source: Hashable, Sendable {
  /// There are no more numbers than this.
  public static let limit = 32

  /// Below ``limit``.
  public let number: UInt8

  /// Takes a number of the table, below ``limit``.
  public init(_ number: UInt8) {
    precondition(number < Self.limit, "a source has too high a number")
    self.number = number
  }

  /// Takes a number from outside; `nil` from ``limit`` on.
  public init?(number: some BinaryInteger) {
    guard number >= 0, number < Self.limit else { return nil }
    self.number = UInt8(number)
  }
}

/// A text value of a record, as an index into its table of texts.
public enum TextField: Int, CaseIterable, Sendable, BitwiseCopyable {
  /// What `ip` shows where the address alone does not: the raw item of an invalid entry (valid
  /// UTF-8, at most 256 bytes), or the zone of a link-local address without its `%`.
  case item
  case countryCode, country, region, city, postalCode, timezone
  case asName, isp, org, hostname, message
  case network, continentCode, regionCode
}

/// A coordinate of a record, in degrees (WGS 84); not a number where missing.
enum Coordinate: Sendable { case latitude, longitude }

/// A whole number of a record; `nil` where missing.
enum Count: Sendable { case asn, line, offset }

/// Where an entry stands.
public struct Place: Sendable {
  /// The 1-based line of the first appearance; 0 for literals.
  public var line: UInt64

  /// The number of the input, an index into the names the encoder was made with.
  public var input: UInt32

  /// The byte of the input at which the line begins, from 0; `nil` where it is not known.
  public var offset: UInt64?

  /// Makes a place; without arguments, of what stands nowhere.
  @inlinable
  public init(line: UInt64 = 0, input: UInt32 = 0, offset: UInt64? = nil) {
    (self.line, self.input, self.offset) = (line, input, offset)
  }
}

/// Something that is so or not; `nil` where nobody says.
enum Flag: Sendable { case cached, mobile, proxy, hosting }

/// Where a text lies in the bytes of its block; no bytes is a missing value.
public struct TextRange: Sendable, Equatable {
  /// The first byte.
  public var offset: UInt32

  /// The number of bytes.
  public var count: UInt32

  /// A missing value.
  public static let none = TextRange(offset: 0, count: 0)

  /// Makes a range.
  @inlinable
  public init(offset: UInt32, count: UInt32) {
    self.offset = offset
    self.count = count
  }

  /// Whether the value is missing.
  @inlinable
  public var isEmpty: Bool { count == 0 }
}

/// One line of the output, its texts being ranges into the bytes of a ``RecordBlock``.
public struct Record: Sendable {
  /// The texts, indexed by ``TextField``.
  public typealias Texts = InlineArray<15, TextRange>

  /// The address; `nil` for an invalid item, whose text is ``TextField/item``.
  public var address: Address?

  /// How the entry ended.
  public var status: Status

  /// Who answered; for ``Status/ok`` only.
  public var source: Source?

  /// The texts, indexed by ``TextField``.
  public var texts = Texts(repeating: .none)

  /// Degrees north, WGS 84; not a number where missing.
  public var latitude = Double.nan

  /// Degrees east, WGS 84; not a number where missing.
  public var longitude = Double.nan

  /// The autonomous system number (RFC 6793); 0, which is reserved (RFC 7607), where missing.
  public var asn: UInt32 = 0

  /// When the provider answered, in seconds since 1970 UTC; `nil` where nobody did.
  public var fetchedAt: Int64?

  /// Where the entry stands, whoever answers.
  public var place = Place()

  /// Whether the cache answered.
  public var isCached = false

  /// Whether the address is a cellular connection, if the provider says so.
  public var isMobile: Bool?

  /// Whether the address is a proxy, VPN or Tor exit, if the provider says so.
  public var isProxy: Bool?

  /// Whether the address is in a data centre, if the provider says so.
  public var isHosting: Bool?

  /// Which of the sources that are asked have no answer.
  public var faults = SourceFaults()

  /// What the sources that are asked have found, whoever answered; see ``RecordBlock/add(to:_:)``.
  var found = TextRange.none

  /// Makes a record that says nothing but how its entry ended.
  @inlinable
  public init(address: Address?, status: Status) {
    self.address = address
    self.status = status
  }

  /// The range of a text.
  @inlinable
  public subscript(field: TextField) -> TextRange {
    get { texts[field.rawValue] }
    set { texts[field.rawValue] = newValue }
  }
}

extension Record {
  @inline(__always)
  subscript(coordinate: Coordinate) -> Double {
    switch coordinate {
    case .latitude: latitude
    case .longitude: longitude
    }
  }

  @inline(__always)
  subscript(count: Count) -> UInt64? {
    switch count {
    case .asn: asn > 0 ? UInt64(asn) : nil
    case .line: place.line > 0 ? place.line : nil
    case .offset: place.offset
    }
  }

  @inline(__always)
  subscript(flag: Flag) -> Bool? {
    switch flag {
    // Only where somebody was asked and answered.
    case .cached: source != nil || status == .unknown ? isCached : nil
    case .mobile: isMobile
    case .proxy: isProxy
    case .hosting: isHosting
    }
  }
}

/// Records with the bytes of their texts.
public struct RecordBlock: Sendable {
  /// The records.
  public var records: [Record] = []

  /// The bytes that the records' ``TextRange``s point into; valid UTF-8 at every range.
  public var bytes: [UInt8] = []

  /// Makes an empty block.
  public init() {}

  /// Adds bytes and says where they lie.
  public mutating func append(text: Span<UInt8>) -> TextRange {
    let offset = bytes.count
    let capacity = text.count + OutputSpan<UInt8>.slack
    bytes.append(addingCapacity: capacity) { $0.append(copying: text) }
    return TextRange(offset: UInt32(offset), count: UInt32(text.count))
  }

  /// Adds a text and says where it lies.
  public mutating func append(text: String) -> TextRange {
    let offset = bytes.count
    bytes.append(contentsOf: text.utf8)
    return TextRange(offset: UInt32(offset), count: UInt32(bytes.count - offset))
  }

  /// The text at a range, for a person or a test; `nil` where it is missing.
  public func text(_ range: TextRange) -> String? {
    guard !range.isEmpty else { return nil }
    let start = Int(range.offset)
    return String(decoding: bytes[start..<start + Int(range.count)], as: UTF8.self)
  }

  /// The text of a record's field; `nil` where it is missing.
  public func text(_ field: TextField, of record: Record) -> String? { text(record[field]) }
}
