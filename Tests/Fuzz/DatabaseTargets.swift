#if DEBUG
  import SondeAddresses
  import Glibc
  import SondeRecords

  @testable import SondeDatabases

  extension FuzzTarget {
    /// Local databases of either format, and the tables that are compiled of them.
    static let databases = [
      FuzzTarget("mmdb") { readDatabase($0) },
      FuzzTarget("libloc") { readDatabase($0) },
    ]

    /// Addresses of databases that are known, and of the ends of either family.
    static let addresses = [
      "0.0.0.0", "1.1.1.1", "1.2.3.4", "2.125.160.216", "8.8.8.8", "81.2.69.142", "89.160.20.112",
      "128.0.0.0", "216.160.83.56", "255.255.255.255", "::", "::1", "2001:218::1", "2001:db8::1",
      "2002:102:304::", "2a02:d500::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ].compactMap { Address($0) }

    private static func readDatabase(_ bytes: [UInt8]) {
      withMemoryFile(bytes) { path, _ in
        // Each place of it is asked for twice, as of two databases.
        guard let databases = try? LocalDatabases(paths: [path, path]) else { return }
        let block = databases.lookUp(addresses)
        precondition(block.records.map(\.address) == addresses)
        check(block)
        let hasFailed = block.records.contains { $0.status == .failed }
        precondition(!hasFailed || !databases.warnings.isEmpty)
        compile(path, block)
      }
    }

    /// Makes a table of a database, which must answer as the database does.
    private static func compile(_ path: String, _ answers: RecordBlock) {
      guard let file = try? DatabaseFile(path: path), let identity = try? DatabaseIdentity(file),
        let library = try? TabledDatabase.open(file),
        let table = try? CompiledFolder.buildInMemory(library, of: file, identity: identity)
      else { return }
      var texts: [UInt8] = []
      guard let records = try? table.findings(of: addresses, bytes: &texts) else {
        preconditionFailure("a new table is damaged")
      }
      let block = block(records, texts)
      check(block)
      precondition(records.map(\.status) == answers.records.map(\.status))
      for (one, other) in zip(records, answers.records) {
        precondition(block.text(.countryCode, of: one) == answers.text(.countryCode, of: other))
      }
    }

    private static func block(_ records: [Record], _ bytes: [UInt8]) -> RecordBlock {
      var block = RecordBlock()
      (block.records, block.bytes) = (records, bytes)
      return block
    }

    /// Checks that every text of a block's records lies in it and is UTF-8, and writes them.
    static func check(_ block: RecordBlock) {
      for record in block.records {
        for field in TextField.allCases where !record[field].isEmpty {
          let start = Int(record[field].offset)
          let end = start + Int(record[field].count)
          precondition(end <= block.bytes.count)
          precondition(String(validating: block.bytes[start..<end], as: UTF8.self) != nil)
        }
      }
      var output: [UInt8] = []
      for format in [Format.csv, .ndjson] {
        RecordEncoder(format: format, inputs: ["f"]).append(block, to: &output)
      }
      precondition(String(validating: output, as: UTF8.self) != nil)
    }
  }
#endif
