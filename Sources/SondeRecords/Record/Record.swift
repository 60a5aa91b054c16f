public import SondeAddresses

/// The status of an entry.
public enum Status: UInt8, CaseIterable, Sendable {
  /// A provider has information about the address.
  case ok
  /// No provider has information about the address.
  case unknown
  /// A special-purpose address, for which no request is made.
  case reserved
  /// Not an address.
  case invalid
  /// The provider kept failing or refused.
  case failed
  /// The network was lost before an answer arrived.
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

/// A provider, by its number in all files that Sonde writes.
///
/// The table of providers maps numbers to names.
public struct Source: Hashable, Sendable {
  /// The limit of numbers.
  public static let limit = 32

  /// The number, below ``limit``.
  public let number: UInt8

  /// Creates a source from a number below ``limit``.
  public init(_ number: UInt8) {
    precondition(number < Self.limit, "a source has too high a number")
    self.number = number
  }

  /// Creates a source from an unchecked number; `nil` from ``limit`` on.
  public init?(number: some BinaryInteger) {
    guard number >= 0, number < Self.limit else { return nil }
    self.number = UInt8(number)
  }
}

/// A coordinate of a record in degrees (WGS 84); NaN if missing.
enum Coordinate: Sendable { case latitude, longitude }

/// An integer of a record; `nil` if missing.
enum Count: Sendable { case asn, line, offset, accuracyRadius }

/// The position of an entry.
public struct Place: Sendable {
  /// The line of the first occurrence, from 1; 0 for literals.
  public var line: UInt64

  /// The offset and the time; the largest and the smallest number if there is none.
  @usableFromInline var knownOffset = UInt64.max
  @usableFromInline var knownTime = Int64.min

  /// The number of the input, an index into the encoder's input names.
  public var input: UInt32

  /// The numbers of the address, of its occurrences and of the line's text in ``Sightings``; 0 for
  /// none.
  @usableFromInline package var subject: UInt32 = 0
  @usableFromInline var scene: UInt32 = 0
  @usableFromInline package var text: UInt32 = 0

  /// The time of the answer, as far as databases of several days tell times apart.
  public var period = BuildPeriod.undated
  /// The crawlers that the line claims to come from; empty unless they are needed.
  public var claims: CrawlerClaims = []

  /// Creates a place; without arguments, of an entry without a position.
  @inlinable
  public init(line: UInt64 = 0, input: UInt32 = 0, offset: UInt64? = nil, time: Int64? = nil) {
    (self.line, self.input) = (line, input)
    (self.offset, self.time) = (offset, time)
  }

  /// The offset of the line in the input, from 0; `nil` if unknown.
  @inlinable
  public var offset: UInt64? {
    get { knownOffset == .max ? nil : knownOffset }
    set { knownOffset = newValue ?? .max }
  }

  /// The time of the line or packet, in milliseconds since 1970 UTC; `nil` if there is none.
  @inlinable
  public var time: Int64? {
    get { knownTime == .min ? nil : knownTime }
    set { knownTime = newValue ?? .min }
  }
}

/// A boolean of a record; `nil` if unknown.
enum Flag: Sendable { case cached, mobile, proxy, hosting, tor, vpn, relay }

/// A record of the output, whose texts are ranges in the bytes of a ``RecordBlock``.
public struct Record: Sendable {
  /// The address; `nil` for an invalid item, whose text is ``TextField/item``.
  public var address: Address?

  /// The status of the entry.
  public var status: Status

  /// The provider that answered; for ``Status/ok`` only.
  public var source: Source?

  /// Whether the answer is from the cache.
  public var isCached = false

  /// Whether the address is a cellular connection, if the provider reports that.
  public var isMobile: Bool?

  /// Whether the address is a proxy of any kind, VPN, relay or Tor exit, if the provider reports
  /// that.
  public var isProxy: Bool?

  /// Whether the address is in a data centre, if the provider reports that.
  public var isHosting: Bool?

  /// Whether the address is a Tor exit, if the provider reports that.
  public var isTor: Bool?

  /// Whether the address is the exit of a VPN, if the provider reports that.
  public var isVPN: Bool?

  /// Whether the address is the exit of a private relay, if the provider reports that.
  public var isRelay: Bool?

  /// The sources that were asked but have no answer.
  public var faults = SourceFaults()

  /// The radius around the position within which the address probably is, in km, if it is given.
  public var accuracyRadius: UInt16?

  /// The autonomous system number (RFC 6793); 0, which is reserved (RFC 7607), if missing.
  public var asn: UInt32 = 0

  /// Degrees north, WGS 84; NaN if missing.
  public var latitude = Double.nan

  /// Degrees east, WGS 84; NaN if missing.
  public var longitude = Double.nan

  /// The time of the answer; the smallest number if there is none.
  @usableFromInline var knownFetchedAt = Int64.min

  /// The texts, indexed by ``TextField``.
  public var texts = RecordTexts()

  /// The values found by sources that are asked; see ``RecordBlock/add(to:_:)``.
  @usableFromInline var found = TextRange.none

  /// The values of the line; see ``RecordBlock/capture(_:at:)``.
  @usableFromInline var captured = TextRange.none

  /// The position of the entry.
  public var place: Place

  /// The totals of the occurrences that stay, if answers decide which do; otherwise `nil`.
  @usableFromInline package var totals: Totals?

  /// Creates a record with a status only.
  @inlinable
  public init(address: Address?, status: Status, place: Place = Place()) {
    (self.address, self.status, self.place) = (address, status, place)
  }

  /// The time of the answer, in seconds since 1970 UTC, above `Int64.min`; `nil` if there is none.
  @inlinable
  public var fetchedAt: Int64? {
    get { knownFetchedAt == .min ? nil : knownFetchedAt }
    set { knownFetchedAt = newValue ?? .min }
  }

  /// The range of a text.
  @inlinable
  public subscript(field: TextField) -> TextRange {
    get { texts[field] }
    set { texts[field] = newValue }
  }
}

extension Record {
  /// Sets all flags but ``isMobile``; every kind of anonymity makes a proxy.
  public mutating func set(isProxy: Bool, isTor: Bool, isVPN: Bool, isRelay: Bool, isHosting: Bool)
  {
    (self.isTor, self.isVPN, self.isRelay, self.isHosting) = (isTor, isVPN, isRelay, isHosting)
    self.isProxy = isProxy || isTor || isVPN || isRelay
  }

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
    case .accuracyRadius: accuracyRadius.map { UInt64($0) }
    }
  }

  @inline(__always)
  subscript(flag: Flag) -> Bool? {
    switch flag {
    // Only after a request was answered.
    case .cached: source != nil || status == .unknown ? isCached : nil
    case .mobile: isMobile
    case .proxy: isProxy
    case .hosting: isHosting
    case .tor: isTor
    case .vpn: isVPN
    case .relay: isRelay
    }
  }
}

/// Records, and the bytes of their texts.
public struct RecordBlock: Sendable {
  /// The records.
  public var records: [Record] = []

  /// The bytes to which the records' ``TextRange``s refer; valid UTF-8 in every range.
  public var bytes: [UInt8] = []

  /// Creates an empty block.
  public init() {}

  /// Appends a text and returns its range.
  public mutating func append(text: Span<UInt8>) -> TextRange {
    let offset = bytes.count
    let capacity = text.count + OutputSpan<UInt8>.slack
    bytes.append(addingCapacity: capacity) { $0.append(copying: text) }
    return TextRange(offset: UInt32(offset), count: UInt32(text.count))
  }

  /// Appends a text and returns its range.
  public mutating func append(text: String) -> TextRange {
    let offset = bytes.count
    bytes.append(contentsOf: text.utf8)
    return TextRange(offset: UInt32(offset), count: UInt32(bytes.count - offset))
  }

  /// Sets the reason of all unknown records without one.
  public mutating func explainUnknown(_ reason: String) {
    var message: TextRange?
    for index in records.indices
    where records[index].status == .unknown && records[index][.message].isEmpty {
      let range = message ?? append(text: reason)
      message = range
      records[index][.message] = range
    }
  }

  /// The text of a range, for people or tests; `nil` if it is missing.
  public func text(_ range: TextRange) -> String? {
    range.isEmpty ? nil : String(decoding: bytes[range.indices], as: UTF8.self)
  }

  /// The text of a record's field; `nil` if it is missing.
  public func text(_ field: TextField, of record: Record) -> String? { text(record[field]) }
}
