import SondeRecords

/// The countries that several databases name for the same addresses.
struct CountryOpinions {
  /// The code of a country, and the number of the database that names it.
  private struct Opinion {
    let database: Int
    let code: TextRange
  }

  /// The database of each record's country; `nil` without one.
  private var origins: [Int?]
  /// Other countries, by the index of the record.
  private var others: [Int: [Opinion]] = [:]

  init(count: Int) { origins = Array(repeating: nil, count: count) }

  /// Adds what a database found for a record, which has been completed from it.
  mutating func add(
    _ finding: Record,
    of database: Int,
    on record: Record,
    at index: Int,
    _ bytes: Span<UInt8>
  ) {
    guard finding.status == .ok, !finding[.countryCode].isEmpty,
      !record[.countryCode].isEmpty
    else { return }
    guard record.namesCountry(of: finding, in: bytes) else {
      others[index, default: []].append(Opinion(database: database, code: finding[.countryCode]))
      return
    }
    origins[index] = origins[index] ?? database
  }

  /// Gives a message to the records about which databases disagree: `A says GB, B says FR`.
  func explain(_ block: inout RecordBlock, names: [String]) {
    for (index, others) in others {
      guard let origin = origins[index] else { continue }
      let first = Opinion(database: origin, code: block.records[index][.countryCode])
      let words = ([first] + others).map {
        "\(names[$0.database]) says \(block.text($0.code) ?? "")"
      }
      block.records[index][.message] = block.append(
        text: words.joined(separator: ", ").confined
      )
    }
  }
}
