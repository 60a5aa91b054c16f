/// A text of a record, as an index into its texts.
///
/// Their numbers are on disk, so a new one is added at the end.
public enum TextField: Int, CaseIterable, Sendable, BitwiseCopyable {
  /// The text in `ip` that the address does not contain: the raw item of an invalid entry (valid
  /// UTF-8, at most 256 bytes), or the zone of a link-local address without its `%`.
  case item
  case countryCode, country, region, city, postalCode, timezone
  case asName, isp, org, hostname, message
  case network, continentCode, regionCode, registeredCountryCode
  /// The local database of the place or else of the country, and the day when it was built; the
  /// same of the autonomous system.
  case database, databaseDate, asDatabase, asDatabaseDate
}

/// The position of a text in the bytes of its block; empty for a missing value.
///
/// It is one word, so that a text is found by its number and not by a comparison for each.
public struct TextRange: Sendable, Equatable, BitwiseCopyable {
  @usableFromInline var word: UInt64

  /// A missing value.
  @inlinable public static var none: TextRange { TextRange(offset: 0, count: 0) }

  /// Creates a range.
  @inlinable
  public init(offset: UInt32, count: UInt32) { word = UInt64(count) << 32 | UInt64(offset) }

  /// The first byte.
  @inlinable
  public var offset: UInt32 {
    get { UInt32(truncatingIfNeeded: word) }
    set { self = TextRange(offset: newValue, count: count) }
  }

  /// The number of bytes.
  @inlinable
  public var count: UInt32 {
    get { UInt32(truncatingIfNeeded: word >> 32) }
    set { self = TextRange(offset: offset, count: newValue) }
  }

  /// ``count`` as an `Int`.
  @inlinable
  var length: Int { Int(truncatingIfNeeded: word >> 32) }

  /// Whether the value is missing.
  @inlinable
  public var isEmpty: Bool { count == 0 }
}

/// The texts of a record by ``TextField``.
///
/// Each is a property: to read one of an `InlineArray` in a record copies all of them.
public struct RecordTexts: Sendable, BitwiseCopyable {
  @usableFromInline var item = TextRange.none
  @usableFromInline var countryCode = TextRange.none
  @usableFromInline var country = TextRange.none
  @usableFromInline var region = TextRange.none
  @usableFromInline var city = TextRange.none
  @usableFromInline var postalCode = TextRange.none
  @usableFromInline var timezone = TextRange.none
  @usableFromInline var asName = TextRange.none
  @usableFromInline var isp = TextRange.none
  @usableFromInline var org = TextRange.none
  @usableFromInline var hostname = TextRange.none
  @usableFromInline var message = TextRange.none
  @usableFromInline var network = TextRange.none
  @usableFromInline var continentCode = TextRange.none
  @usableFromInline var regionCode = TextRange.none
  @usableFromInline var registeredCountryCode = TextRange.none
  @usableFromInline var database = TextRange.none
  @usableFromInline var databaseDate = TextRange.none
  @usableFromInline var asDatabase = TextRange.none
  @usableFromInline var asDatabaseDate = TextRange.none

  /// Creates missing texts.
  @inlinable
  public init() {}

  /// The range of a text.
  @inlinable
  public subscript(field: TextField) -> TextRange {
    @inline(__always) get { self[field.rawValue] }
    @inline(__always) set { self[field.rawValue] = newValue }
  }

  /// The numbers of the texts, those of their fields.
  @inlinable
  public var indices: Range<Int> { 0..<20 }

  /// The range of a text by its number.
  @inlinable
  public subscript(number: Int) -> TextRange {
    @inline(__always)
    get {
      switch number {
      case 0: item
      case 1: countryCode
      case 2: country
      case 3: region
      case 4: city
      case 5: postalCode
      case 6: timezone
      case 7: asName
      case 8: isp
      case 9: org
      case 10: hostname
      case 11: message
      case 12: network
      case 13: continentCode
      case 14: regionCode
      case 15: registeredCountryCode
      case 16: database
      case 17: databaseDate
      case 18: asDatabase
      case 19: asDatabaseDate
      default: preconditionFailure("no such text")
      }
    }
    @inline(__always)
    set {
      switch number {
      case 0: item = newValue
      case 1: countryCode = newValue
      case 2: country = newValue
      case 3: region = newValue
      case 4: city = newValue
      case 5: postalCode = newValue
      case 6: timezone = newValue
      case 7: asName = newValue
      case 8: isp = newValue
      case 9: org = newValue
      case 10: hostname = newValue
      case 11: message = newValue
      case 12: network = newValue
      case 13: continentCode = newValue
      case 14: regionCode = newValue
      case 15: registeredCountryCode = newValue
      case 16: database = newValue
      case 17: databaseDate = newValue
      case 18: asDatabase = newValue
      case 19: asDatabaseDate = newValue
      default: preconditionFailure("no such text")
      }
    }
  }

  /// The ranges of all texts by their numbers, to go through their span: one copy.
  @inlinable @inline(__always)
  public var all: InlineArray<20, TextRange> {
    [
      item, countryCode, country, region, city, postalCode, timezone,
      asName, isp, org, hostname, message,
      network, continentCode, regionCode, registeredCountryCode,
      database, databaseDate, asDatabase, asDatabaseDate,
    ]
  }

  /// The length of all texts in bytes.
  @inlinable @inline(__always)
  public var size: Int {
    let all = all
    let ranges = all.span
    var size = 0
    for number in ranges.indices { size &+= ranges[number].length }
    return size
  }
}
