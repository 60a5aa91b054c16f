import SondeAddresses
import SondeDatabases
import Glibc
import SondeRecords
import TestSupport

/// libloc's database asked itself, and compiled into a table.
struct LocalBenchmarks {
  private let runs: Int
  private let path: String
  private let folder: ScratchFolder
  private let addresses: [Address]

  /// Addresses asked for at once, as a scan does.
  private static let batch = 512

  /// Prepares for the machine's own database; `nil` where it has none.
  init?(seed: UInt64, count: Int, runs: Int) throws {
    guard let path = LocalDatabases.defaultPaths.first else { return nil }
    self.path = path
    self.runs = runs
    folder = try ScratchFolder()
    var generator = SeededGenerator(seed: seed)
    addresses = DistinctAddresses(seed: seed).prefix(count).map { address in
      // One in ten of IPv6, in what the registries have given out.
      guard generator.next() % 10 == 0 else { return address }
      let registry = [0x2a00, 0x2001, 0x2600, 0x2400][Int(generator.next() % 4)] as UInt64
      return Address(high: registry << 48 | generator.next() >> 16, low: generator.next())
    }
  }

  func run(report: (Measurement) -> Void) throws {
    let library = try LocalDatabases(paths: [path])
    let direct = try lookUps("libloc itself, addresses to records", library)
    report(direct)
    report(try building())
    report(try opening())
    let table = try databases()
    try compare(library, table)
    report(try searching())
    var compiled = try lookUps("its table, addresses to records", table)
    compiled.peer = .init(name: "libloc", direct)
    report(compiled)
  }

  /// The databases with their table, which is made if it is not there.
  private func databases() throws -> LocalDatabases {
    let tables = CompiledDatabases(folder: folder.path, threshold: 0)
    return try LocalDatabases(paths: [path], tables: tables)
  }

  /// Runs work several times.
  private func measurement(
    _ name: String,
    _ unit: String = "addresses",
    items: Int,
    runs: Int? = nil,
    before prepare: () throws -> Void = {},
    _ work: () throws -> Void
  ) throws -> Measurement {
    Measurement(
      name: name,
      unit: unit,
      items: items,
      bytes: 0,
      usages: try usages(runs ?? self.runs, before: prepare, work)
    )
  }

  private func eachBatch(_ work: ([Address]) throws -> Void) rethrows {
    for start in stride(from: 0, to: addresses.count, by: Self.batch) {
      try work(Array(addresses[start..<min(start + Self.batch, addresses.count)]))
    }
  }

  private func compare(_ library: LocalDatabases, _ table: LocalDatabases) throws {
    try eachBatch { batch in
      let (expected, found) = (library.lookUp(batch), table.lookUp(batch))
      let encoder = RecordEncoder(format: .ndjson, fields: Field.allCases)
      var (left, right) = ([UInt8](), [UInt8]())
      encoder.append(expected, to: &left)
      encoder.append(found, to: &right)
      guard left == right else { throw BenchmarkError("the table answers something else") }
    }
  }

  private func lookUps(_ name: String, _ databases: LocalDatabases) throws -> Measurement {
    try measurement(name, items: addresses.count) {
      var count = 0
      eachBatch { count += databases.lookUp($0).records.count }
      guard count == addresses.count else { throw BenchmarkError("addresses got lost") }
    }
  }

  private func building() throws -> Measurement {
    try measurement("its table made", "tables", items: 1, before: { folder.removeAll() }) {
      _ = try databases().lookUp([addresses[0]])
    }
  }

  private func opening() throws -> Measurement {
    try measurement("its table opened, one address", "tables", items: 1, runs: runs * 20) {
      guard try databases().lookUp([addresses[0]]).records.count == 1 else {
        throw BenchmarkError("an address got lost")
      }
    }
  }

  private func searching() throws -> Measurement {
    guard let file = folder.names.first(where: { $0.hasSuffix(".table") }),
      let table = CompiledDatabase(path: "\(folder.path)/\(file)")
    else { throw BenchmarkError("there is no table") }
    var findings: [CompiledDatabase.Finding] = []
    var counts: Set<Int> = []
    let name = "its table, addresses to places of records"
    let found = try measurement(name, items: addresses.count) {
      var known = 0
      for first in stride(from: 0, to: addresses.count, by: Self.batch) {
        let last = min(first + Self.batch, addresses.count)
        findings.removeAll(keepingCapacity: true)
        try findings.append(addingCapacity: Self.batch) { output throws(CompiledDatabase.Damage) in
          try table.locate(addresses.span.extracting(first..<last), into: &output)
        }
        for finding in findings where !finding.isNothing { known += 1 }
      }
      counts.insert(known)
    }
    guard counts.count == 1 else { throw BenchmarkError("the table changes") }
    return found
  }
}
