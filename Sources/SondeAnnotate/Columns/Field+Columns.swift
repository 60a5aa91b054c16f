public import SondeRecords

extension Field {
  /// What each column that holds addresses gains in a table, where nothing else is asked for.
  public static let columns: [Field] = [
    .status, .countryCode, .country, .region, .city, .asn, .asName,
  ]
}
