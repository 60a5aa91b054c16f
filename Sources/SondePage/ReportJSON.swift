import SondeSummary

/// The largest number of addresses in a page.
private let addressLimit = 1000

/// The largest size of a report in a page, in bytes; the page has less than 4 MB.
private let sizeLimit = 3_800_000

extension ScriptJSON {
  /// Encodes a report for the page's script; surplus networks, cities and combinations are omitted.
  init(_ report: SummaryReport) {
    append(report, mostRows: .max)
    var most = report.tables.lazy.map(\.rows.count).max() ?? 0
    while bytes.count > sizeLimit, most > addressLimit {
      most = Int(Double(most) * min(0.95, Double(sizeLimit) / Double(bytes.count)))
      self = ScriptJSON()
      append(report, mostRows: most)
    }
    guard let choices = report.choices else { return }
    let room = max(0, sizeLimit - bytes.count)
    let counted = ChoicesJSON(report, choices, mostRows: most, bytes: room)
    self = ScriptJSON()
    append(report, mostRows: most, choices: counted)
  }

  private mutating func append(
    _ report: SummaryReport,
    mostRows: Int,
    choices: ChoicesJSON? = nil
  ) {
    append(mark: "{\"hits\":")
    append(number: Int64(report.totals.hits))
    append(mark: ",\"madeAt\":")
    append(number: report.madeAt)
    append(mark: ",\"startedAt\":")
    append(number: report.startedAt)
    append(mark: ",\"timeZone\":")
    append(text: report.timeZone)
    append(mark: ",\"period\":")
    if let period = report.period {
      append([period.from, period.to]) { $0.append(number: $1) }
    } else {
      append(mark: "null")
    }
    append(mark: ",\"losses\":")
    append(report.losses) { $0.append($1) }
    append(mark: ",\"tables\":{")
    let tables = report.tables.filter(report.isShown)
    for (index, table) in tables.enumerated() {
      if index > 0 { append(mark: ",") }
      append(text: table.kind.rawValue)
      append(mark: ":")
      if table.kind == .address, let choices {
        append(table, choices.shownAddresses, leading: report.choices?.leading ?? 0)
      } else {
        append(table, rows: table.first(mostRows))
      }
    }
    append(mark: "}")
    if let choices {
      append(mark: ",\"choices\":")
      choices.append(to: &self)
    }
    append(mark: "}")
  }

  private mutating func append(_ loss: SummaryReport.NetworkLoss) {
    append(mark: "{\"from\":")
    append(number: loss.from)
    append(mark: ",\"to\":")
    append(number: loss.to)
    append(mark: ",\"cause\":")
    append(text: loss.cause)
    append(mark: "}")
  }

  /// Appends a table by columns, so that their names are not repeated in each row.
  private mutating func append(_ table: SummaryTable, rows: ArraySlice<SummaryTable.Row>) {
    append(mark: "{\"kind\":")
    append(text: table.kind.rawValue)
    append(mark: ",\"count\":")
    append(number: Int64(table.count))
    append(mark: ",\"hits\":")
    // The differences between rows are small numbers, which take little space.
    var before = 0
    append(rows) { json, row in
      json.append(number: Int64(row.hits &- before))
      before = row.hits
    }
    if table.kind == .city {
      append(cities: rows)
    } else {
      append(mark: ",\"key\":")
      append(rows) { $0.append(key: $1.key, isNetwork: table.kind == .network) }
    }
    if table.kind.isNamed {
      append(mark: ",\"name\":")
      append(rows) { $0.append(text: $1.name) }
    }
    if table.kind.isTimeline {
      append(mark: ",\"start\":")
      append(rows) { $0.append(number: $1.start) }
    } else if table.kind != .address {
      append(mark: ",\"addresses\":")
      append(rows) { $0.append(number: Int64($1.hits &- ($1.addresses ?? 0))) }
    }
    append(mark: "}")
  }

  /// Appends the table of addresses, with those that only choices show behind the `leading` ones.
  private mutating func append(
    _ table: SummaryTable,
    _ addresses: [SummaryChoices.Address],
    leading: Int
  ) {
    append(mark: "{\"kind\":\"address\",\"count\":")
    append(number: Int64(table.count))
    append(mark: ",\"leading\":")
    append(number: Int64(leading))
    append(mark: ",\"hits\":")
    var before = 0
    append(addresses) { json, address in
      json.append(number: Int64(address.hits &- before))
      before = address.hits
    }
    append(mark: ",\"key\":")
    append(addresses) { $0.append(text: $1.key) }
    append(mark: ",\"note\":")
    append(addresses) { $0.append(text: $1.note) }
    // Most stand for one address.
    append(mark: ",\"several\":")
    append(addresses) { $0.append(number: Int64($1.addresses - 1)) }
    append(mark: ",\"first\":")
    append(addresses) { $0.append(number: $1.firstSeen) }
    append(mark: ",\"last\":")
    append(addresses) { json, address in
      let length = address.lastSeen.flatMap { last in address.firstSeen.map { last - $0 } }
      json.append(number: length)
    }
    append(mark: "}")
  }

  /// Appends a key; that of a network, `AS15169`, as a number.
  private mutating func append(key: String, isNetwork: Bool) {
    if isNetwork, key.hasPrefix("AS"), let number = UInt32(key.dropFirst(2)) {
      append(number: Int64(number))
    } else {
      append(text: key)
    }
  }

  /// Appends the keys, countries and places of cities.
  ///
  /// The part of a key after the first comma, as in `Mountain View, California, US`, is stored once
  /// for all its cities, and so is the country. Places are in hundredths of a degree, about a
  /// kilometre.
  private mutating func append(cities rows: ArraySlice<SummaryTable.Row>) {
    var (regions, numbers): ([Region], [Region: Int64]) = ([], [:])
    let cities = rows.map { row in
      let end = row.key.utf8.firstIndex(of: UInt8(ascii: ",")) ?? row.key.endIndex
      let region = Region(text: row.key[end...], country: row.countryCode ?? "")
      let number = numbers[region, default: Int64(regions.count)]
      if number == regions.count {
        regions.append(region)
        numbers[region] = number
      }
      return (name: row.key[..<end], region: number)
    }
    append(mark: ",\"name\":")
    append(cities) { $0.append(text: String($1.name)) }
    append(mark: ",\"region\":")
    append(cities) { $0.append(number: $1.region) }
    append(mark: ",\"regions\":")
    append(regions) { json, region in
      json.append([String(region.text), region.country]) { $0.append(text: $1) }
    }
    append(mark: ",\"latitude\":")
    append(rows) { $0.append(number: hundredths($1.place?.latitude, within: 90)) }
    append(mark: ",\"longitude\":")
    append(rows) { $0.append(number: hundredths($1.place?.longitude, within: 180)) }
  }
}

extension SummaryTable {
  /// The rows that fit; always all of a timeline, and the row without a value.
  func first(_ most: Int) -> ArraySlice<Row> {
    guard !kind.isTimeline else { return rows[...] }
    let first = rows.prefix(kind == .address ? min(addressLimit, most) : most)
    guard kind != .address, first.count < rows.count, let last = rows.last, last.key.isEmpty else {
      return first
    }
    return first + [last]
  }
}

private struct Region: Hashable {
  let text: Substring
  let country: String
}

private func hundredths(_ degrees: Double?, within bound: Double) -> Int64? {
  guard let degrees, abs(degrees) <= bound else { return nil }
  return Int64((degrees * 100).rounded())
}

extension SummaryTable.Kind {
  /// Whether a name has more information than the key.
  var isNamed: Bool {
    switch self {
    case .country, .network, .address, .hour, .day: true
    case .city, .status, .source: false
    }
  }
}
