public import SondeRecords

extension Field {
  /// The default columns added for each column with addresses.
  public static let columns: [Field] = [
    .status, .countryCode, .country, .region, .city, .asn, .asName,
  ]
}
