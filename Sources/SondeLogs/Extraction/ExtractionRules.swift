package import SondeInputs
public import SondePrivacy
public import SondeRecords

/// The treatment of extracted addresses.
public struct ExtractionRules: Sendable {
  /// Whether only the first occurrence of each address counts.
  public var isUnique = false
  /// Whether to write their number per input instead.
  public var counts = false
  /// Whether each line begins with the input's name and a colon.
  public var namesInputs = false
  /// Whether to exclude IPv4 addresses.
  public var omitsIPv4 = false
  /// Whether to exclude IPv6 addresses.
  public var omitsIPv6 = false
  /// Which addresses of a line count.
  public var pick = Pick.all
  /// Whether any line has its name.
  package var pickFindings = PickFindings()
  /// Whether defanged marks, such as `[.]`, are the marks that they stand for.
  public var refangs = false
  /// Whether to exclude special-purpose addresses.
  public var omitsReserved = false

  /// Replaces the selected addresses and those in names of inputs; `nil` if they stay.
  public var anonymizer: Anonymizer?

  /// Creates the default rules: every occurrence, one per line.
  public init() {}

  /// Whether any kind of address is excluded.
  var selects: Bool { omitsIPv4 || omitsIPv6 || omitsReserved }
}
