import SondeAddresses
import SondeDatabases
import SondeProviders
import SondeRecords
import TestSupport

/// What databases say of one address: each field by its name, the numbers as texts.
func answer(_ databases: LocalDatabases, _ text: String) -> [String: String] {
  let block = databases.lookUp([address(text)])
  let all = block.records.first.map { fields(of: $0, in: block) } ?? [:]
  return all.filter { !$0.key.lowercased().contains("database") }
}

/// The databases that an answer names, with their days: of the place or country, and of the AS.
func origins(_ databases: LocalDatabases, _ text: String) -> [String] {
  let block = databases.lookUp([address(text)])
  return [TextField.database, .databaseDate, .asDatabase, .asDatabaseDate].map { field in
    block.records.first.flatMap { block.text(field, of: $0) } ?? "-"
  }
}

/// The fields of a record by their names, in the form that the tests write them.
func fields(of record: Record, in block: RecordBlock) -> [String: String] {
  var fields: [String: String] = ["status": record.status.name]
  for field in TextField.allCases {
    if let text = block.text(field, of: record) { fields["\(field)"] = text }
  }
  if let source = record.source { fields["source"] = source.name }
  if record.asn != 0 { fields["asn"] = "\(record.asn)" }
  if !record.latitude.isNaN { fields["latitude"] = "\(record.latitude)" }
  if !record.longitude.isNaN { fields["longitude"] = "\(record.longitude)" }
  if let date = record.fetchedAt { fields["fetchedAt"] = "\(date)" }
  if let flag = record.isProxy { fields["proxy"] = "\(flag)" }
  if let flag = record.isHosting { fields["hosting"] = "\(flag)" }
  if let flag = record.isMobile { fields["mobile"] = "\(flag)" }
  if let flag = record.isTor { fields["tor"] = "\(flag)" }
  if let flag = record.isVPN { fields["vpn"] = "\(flag)" }
  if let flag = record.isRelay { fields["relay"] = "\(flag)" }
  if let radius = record.accuracyRadius { fields["accuracyRadius"] = "\(radius)" }
  return fields
}

/// Opens files of these bytes, in order.
///
/// Both kinds of database stay readable after their file's name is gone.
func databases(_ files: [UInt8]...) throws -> LocalDatabases {
  let scratch = try files.map { try ScratchFile($0) }
  return try withExtendedLifetime(scratch) { try LocalDatabases(paths: scratch.map(\.path)) }
}
