import SondeAddresses
import SondeLive
import SondePage
import SondeProviders
import SondeRecords
import SondeSQLite
import SondeSummary
import SondeSystem

/// The hits of a log in a time, as they are kept at one moment.
struct LogHits {
  private let length: StepLength
  private let condition: RecordCondition
  private let rows: ScanTableReader
  /// The seconds since 1970 UTC that are counted.
  let range: Range<Int64>
  private let parts: [(length: StepLength, range: Range<Int64>)]
  /// By the numbers of addresses.
  private let hits: [UInt32: Int]

  /// Reads the hits up to a moment.
  init(
    _ length: StepLength,
    _ condition: RecordCondition,
    at now: Int64,
    in rows: ScanTableReader
  ) throws(SQLiteError) {
    (self.length, self.condition, self.rows) = (length, condition, rows)
    range = length.range(at: now)
    // All is read as it is now.
    try rows.each("BEGIN") { _ in }
    var bounds = StepBounds(at: now)
    try rows.each("SELECT ten_seconds, five_minutes FROM log") { row in
      bounds = StepBounds(tenSeconds: row.number(0), fiveMinutes: row.number(1))
    }
    parts = bounds.parts(of: length, at: now)
    var hits: [UInt32: Int] = [:]
    try Self.forEachStep(parts, in: rows) { row in
      row.withBytes(2) { bytes in
        StepCounts.forEach(in: bytes) { hits[$0, default: 0] += Int($1) }
      }
    }
    self.hits = hits
  }

  private static func forEachStep(
    _ parts: [(length: StepLength, range: Range<Int64>)],
    in rows: ScanTableReader,
    _ body: (Statement) -> Void
  ) throws(SQLiteError) {
    let sql = "SELECT start, hits, counts FROM steps WHERE length = ? AND start >= ? AND start < ?"
    for (length, range) in parts where !range.isEmpty {
      let values = [length.rawValue, range.lowerBound, range.upperBound].map {
        BoundValue.number($0)
      }
      try rows.each(sql, values) { row throws(SQLiteError) in body(row) }
    }
  }

  private var choosesAll: Bool { condition.filter == nil }

  /// Goes through the records of the addresses that were hit and meet the condition.
  private func forEachRecord(
    with fields: Set<Field>,
    _ body: (UInt32, Record, RecordBlock) -> Void
  ) throws(SQLiteError) {
    try rows.matches(condition.among(hits.keys), by: "rowid", with: fields) { body($0, $1, $2) }
  }

  /// The addresses that were hit and have no answer yet.
  func pending() throws(SQLiteError) -> [(number: UInt32, address: Address, zone: [UInt8])] {
    var found: [(number: UInt32, address: Address, zone: [UInt8])] = []
    try rows.each("SELECT number, high, low, zone FROM addresses WHERE asked IS NULL") { row in
      let number = UInt32(clamping: row.number(0))
      guard hits[number] != nil else { return }
      let address = Address(
        high: UInt64(bitPattern: row.number(1)),
        low: UInt64(bitPattern: row.number(2))
      )
      let zone = row.withBytes(3) { bytes in bytes.indices.map { bytes[$0] } }
      found.append((number, address, zone))
    }
    return found
  }

  /// The fields of which a summary has tables.
  private static let summaryFields: Set<Field> = [
    .ip, .status, .source, .countryCode, .country, .region, .city, .asn, .asName, .latitude,
    .longitude,
  ]

  /// All that a summary says of the hits.
  func counts() throws(SQLiteError) -> SummaryCounts {
    var (addresses, profiles) = (AddressCounts(), Profiles())
    try forEachRecord(with: Self.summaryFields) { number, record, block in
      let bytes = block.bytes.span
      let profile = profiles.id(
        of: record,
        bytes: bytes,
        status: record.status,
        source: record.source?.name ?? ""
      )
      let hasZone = record.address?.isLinkLocal == true
      let zone = hasZone ? Array((block.text(.item, of: record) ?? "").utf8) : []
      addresses.count(record.address, zone: zone, as: profile, hits: hits[number] ?? 0)
    }
    if choosesAll {
      // What nobody knows anything of has a profile without values.
      let blank = Record(address: nil, status: .ok)
      let bytes: [UInt8] = []
      let profile = profiles.id(of: blank, bytes: bytes.span, status: nil, source: "")
      for (number, address, zone) in try pending() {
        addresses.count(address, zone: zone, as: profile, hits: hits[number] ?? 0)
      }
      if let others = hits[AddressNumbers.others] {
        addresses.count(nil, as: profile, hits: others)
      }
    }
    return SummaryCounts(addresses: addresses, profiles: profiles, timeline: Timeline(zone: .utc))
  }

  /// The hits by the starts of their steps.
  func overTime() throws(SQLiteError) -> [Int64: Int] {
    var wanted: Set<UInt32> = []
    if !choosesAll { try forEachRecord(with: []) { number, _, _ in wanted.insert(number) } }
    var sums: [Int64: Int] = [:]
    try Self.forEachStep(parts, in: rows) { row in
      let start = length.start(of: row.number(0))
      guard !choosesAll else {
        sums[start, default: 0] += Int(row.number(1))
        return
      }
      row.withBytes(2) { bytes in
        StepCounts.forEach(in: bytes) { number, count in
          if wanted.contains(number) { sums[start, default: 0] += Int(count) }
        }
      }
    }
    return sums
  }

  /// The distinct places of the addresses that meet the condition.
  func places() throws(SQLiteError) -> [ScanPlace] {
    var places: [Int64: ScanPlace] = [:]
    try rows.each("SELECT number, latitude, longitude, name FROM places") { row in
      places[row.number(0)] = ScanPlace(
        latitude: row.real(1),
        longitude: row.real(2),
        addresses: 0,
        name: row.text(3),
        hits: 0
      )
    }
    var wanted: Set<UInt32> = []
    if !choosesAll { try forEachRecord(with: []) { number, _, _ in wanted.insert(number) } }
    try rows.each("SELECT number, place FROM addresses WHERE place IS NOT NULL") { row in
      let number = UInt32(clamping: row.number(0))
      guard let count = hits[number], choosesAll || wanted.contains(number) else { return }
      places[row.number(1)]?.addresses += 1
      places[row.number(1)]?.hits? += count
    }
    return places.values.filter { $0.addresses > 0 }
  }
}
