/// What an extraction makes of the addresses it finds.
public struct ExtractionRules: Sendable {
  /// Whether only the first occurrence of each address counts.
  public var isUnique = false
  /// Whether they are counted, for each input, instead of written.
  public var counts = false
  /// Whether each line begins with the input's name and a colon.
  public var namesInputs = false
  /// Whether IPv4 addresses are left out.
  public var omitsIPv4 = false
  /// Whether IPv6 addresses are left out.
  public var omitsIPv6 = false
  /// Whether special-purpose addresses are left out.
  public var omitsReserved = false

  /// Makes the default rules: every occurrence, one a line.
  public init() {}

  /// Whether any address is left out for what it is.
  var selects: Bool { omitsIPv4 || omitsIPv6 || omitsReserved }
}
