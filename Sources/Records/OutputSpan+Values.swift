extension OutputSpan<UInt8> {
  /// Appends the value of a column that no format has to escape; nothing where it is missing.
  mutating func append(_ field: Field, of record: Record) {
    switch field {
    case .status: append(Keywords.statuses[Int(record.status.rawValue)])
    case .source:
      if let source = record.source { append(Keywords.sources[Int(source.rawValue)]) }
    case .latitude: append(coordinate: record.latitude)
    case .longitude: append(coordinate: record.longitude)
    case .asn: append(positive: UInt64(record.asn))
    case .line: append(positive: record.line)
    case .cached: append(record.wasAsked ? record.isCached : nil)
    case .mobile: append(record.isMobile)
    case .proxy: append(record.isProxy)
    case .hosting: append(record.isHosting)
    case .fetchedAt:
      if let seconds = record.fetchedAt { append(seconds: seconds) }
    case .ip, .countryCode, .country, .region, .city, .postalCode, .timezone, .asName, .isp, .org,
      .hostname, .message, .input, .network, .continentCode, .regionCode:
      break
    }
  }

  private mutating func append(coordinate: Double) {
    if coordinate.isFinite { append(shortest: coordinate) }
  }

  private mutating func append(positive number: UInt64) {
    if number > 0 { append(decimal: number) }
  }

  private mutating func append(_ boolean: Bool?) {
    if let boolean { append(boolean ? Keywords.true : Keywords.false) }
  }
}

/// The words that values are made of, ready to be copied.
private enum Keywords {
  static let statuses = Status.allCases.map { ShortText($0.name) }
  static let sources = Source.allCases.map { ShortText($0.name) }
  static let `true` = ShortText("true")
  static let `false` = ShortText("false")
}
