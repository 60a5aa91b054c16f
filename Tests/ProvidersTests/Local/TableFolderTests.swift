import SondeAddresses
import Glibc
import SondeRecords
import SondeSystem
import TestSupport
import Testing

@testable import SondeDatabases

/// Tables in their folder: made, used, replaced, damaged, missing.
@Suite struct TableFolderTests {
  private static let addresses = ["1.2.3.4", "9.9.9.9", "2001:db8::1"].map(address)

  private static func file(_ country: String = "SE", networks: Int = 1) -> [UInt8] {
    var file = MaxMindFile()
    for number in 0..<networks {
      file.add("1.2.\(number).0/24", .map(["city": .text("\(country) \(number)")]))
    }
    file.add("1.2.3.0/24", .map(["country": .text(country)]))
    file.add("2001:db8::/32", .map(["country": .text(country)]))
    return file.bytes()
  }

  /// What the databases say of the addresses.
  private func answers(
    _ databases: LocalDatabases,
    _ addresses: [Address] = addresses
  ) -> [[String: String]] {
    let block = databases.lookUp(addresses)
    return block.records.map { fields(of: $0, in: block) }
  }

  private func databases(
    _ path: String,
    _ folder: ScratchFolder,
    threshold: Int = 0
  ) throws -> LocalDatabases {
    let tables = CompiledDatabases(folder: folder.cache, threshold: threshold)
    return try LocalDatabases(paths: [path], tables: tables)
  }

  private func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) {
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count)
  }

  @Test func `a table is made past the threshold, and is for the owner alone`() throws {
    let (file, folder) = (try ScratchFile(Self.file()), try ScratchFolder())
    let expected = answers(try LocalDatabases(paths: [file.path]))
    let databases = try databases(file.path, folder, threshold: 6)
    #expect(answers(databases) == expected)
    #expect(answers(databases) == expected)
    #expect(folder.files == [])
    #expect(answers(databases) == expected)
    #expect(folder.files.count == 2)
    let name = try #require(folder.tables.first)
    var status = stat()
    #expect(unsafe stat("\(folder.cache)/\(name)", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(databases.builds.first?.hasAnswered == true)
  }

  @Test func `a table that is there is used, with the database's date and kind`() throws {
    let (file, folder) = (try ScratchFile(Self.file()), try ScratchFolder())
    let addresses = Self.addresses + [address("1.2.0.1")]
    let first = try databases(file.path, folder)
    let expected = answers(first, addresses)
    let second = try databases(file.path, folder, threshold: 1000)
    #expect(second.builds.map(\.date) == first.builds.map(\.date))
    #expect(second.builds.map(\.source) == [.mmdb])
    #expect(answers(second, addresses) == expected)
    // The answers do come from the table: it is asked before its damage is found.
    let name = try #require(folder.tables.first)
    overwrite("\(folder.cache)/\(name)", at: CompiledLayout.headerSize + 8, with: [1, 2, 3])
    #expect(answers(second, addresses) == expected)
    #expect(folder.tables == [])
  }

  @Test func `databases that are merged are the same with tables`() throws {
    let folder = try ScratchFolder()
    let loc = LibLocFile(
      networks: [.init(block: "1.0.0.0/8", country: "GB", asn: 7)],
      systems: [7: "Seven"]
    )
    let files = [try ScratchFile(Self.file(networks: 9)), try ScratchFile(loc.bytes())]
    for paths in [files.map(\.path), files.reversed().map(\.path)] {
      let expected = answers(try LocalDatabases(paths: paths))
      let tables = CompiledDatabases(folder: folder.cache, threshold: 0)
      #expect(answers(try LocalDatabases(paths: paths, tables: tables)) == expected)
    }
    #expect(folder.tables.count == 2)
  }

  @Test func `a replaced database has a new table, and the old one goes`() throws {
    let (file, folder) = (try ScratchFile(Self.file("SE")), try ScratchFolder())
    #expect(answers(try databases(file.path, folder))[0]["countryCode"] == "SE")
    let old = folder.tables
    let newer = try ScratchFile(Self.file("GB"))
    #expect(unsafe rename(newer.path, file.path) == 0)
    #expect(answers(try databases(file.path, folder))[0]["countryCode"] == "GB")
    #expect(folder.tables.count == 1)
    #expect(folder.tables != old)
    // Written in place: same inode, size and name.
    overwrite(file.path, at: 0, with: Self.file("NO"))
    #expect(answers(try databases(file.path, folder))[0]["countryCode"] == "NO")
    #expect(folder.tables.count == 1)
  }

  @Test func `a few tables are kept, and nothing unfinished`() throws {
    let folder = try ScratchFolder()
    let files = try (0..<10).map { _ in try ScratchFile(Self.file()) }
    for file in files {
      _ = answers(try databases(file.path, folder))
      let left = unsafe open("\(folder.cache)/0.table-new", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
      close(left)
    }
    _ = answers(try databases(files[0].path, folder))
    #expect(folder.tables.count == 8)
  }

  @Test func `without a folder that can be written a table is made in memory`() throws {
    let file = try ScratchFile(Self.file())
    let expected = answers(try LocalDatabases(paths: [file.path]))
    for folder in ["/dev/null/tables", "/proc/sonde", nil] {
      let tables = CompiledDatabases(folder: folder, threshold: 0)
      let database = try TabledDatabase(path: file.path, tables: tables)
      #expect(answers(try LocalDatabases(paths: [file.path], tables: tables)) == expected)
      var bytes: [UInt8] = []
      let damage = DamageLog(path: file.path)
      _ = database.findings(of: Self.addresses, bytes: &bytes, noting: damage)
      #expect(database.hasTable)
    }
  }

  @Test func `a database with bad entries is asked itself, and warns as ever`() throws {
    var file = MaxMindFile()
    file.add("1.0.0.0/8", .map(["country": .text("SE")]))
    file.add("2.0.0.0/8", .map(["latitude": .raw([0x62, 1, 2])]))
    let (scratch, folder) = (try ScratchFile(file.bytes()), try ScratchFolder())
    let databases = try databases(scratch.path, folder)
    #expect(answers(databases)[0]["countryCode"] == "SE")
    #expect(databases.warnings == [])
    #expect(answers(databases, [address("2.2.2.2")]).map { $0["status"] } == ["failed"])
    #expect(databases.warnings.count == 1)
    #expect(folder.tables == [])
  }

  @Test func `a tangled search tree is not gone through for ever`() throws {
    var file = MaxMindFile()
    file.add("::/128", .map(["country": .text("SE")]))
    var bytes = file.bytes()
    // Both branches of each node lead to the next one.
    for node in 0..<126 {
      for byte in 0..<3 { bytes[node * 6 + 3 + byte] = bytes[node * 6 + byte] }
    }
    let (scratch, folder) = (try ScratchFile(bytes), try ScratchFolder())
    let expected = answers(try LocalDatabases(paths: [scratch.path]))
    #expect(answers(try databases(scratch.path, folder)) == expected)
    #expect(folder.tables == [])
  }

  @Test func `overwritten anywhere, a table gives the right answers or none`() throws {
    let (file, folder) = (try ScratchFile(Self.file(networks: 40)), try ScratchFolder())
    var generator = SeededGenerator(seed: 11)
    let addresses = Self.addresses + (0..<64).map { Address(ipv4: 0x0102_0000 + $0 << 8) }
    let expected = answers(try LocalDatabases(paths: [file.path]), addresses)
    _ = answers(try databases(file.path, folder))
    let path = try "\(folder.cache)/" + #require(folder.tables.first)
    let whole = try contents(of: path)
    let layout = try #require(CompiledHeader(Array(whole.prefix(8192)), fileSize: whole.count))
      .layout
    // Where these addresses are looked up, and anywhere.
    let places = [
      0..<CompiledLayout.headerSize, CompiledLayout.headerSize..<layout.answersEnd,
      layout.ipv4.index + 4 * 0x102..<layout.ipv4.index + 4 * 0x104,
      layout.ipv4.values + 4 * 0x100..<layout.ipv4.values + 4 * 0x140,
      layout.ipv4.forms + 0x100..<layout.ipv4.forms + 0x140, 0..<whole.count,
    ]
    var gone = 0
    for round in 0..<180 {
      let place = places[round % places.count]
      for _ in 0...round % 4 {
        let byte = UInt8.random(in: 0 ... .max, using: &generator)
        overwrite(path, at: .random(in: place, using: &generator), with: [byte])
      }
      // Not made anew, so that the next round finds it as it is.
      let databases = try databases(path: file.path, folder)
      #expect(answers(databases, addresses) == expected, "round \(round)")
      if folder.tables.isEmpty { gone += 1 }
      let copy = unsafe open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
      #expect(unsafe write(copy, whole, whole.count) == whole.count)
      close(copy)
    }
    #expect(gone > 60)
  }

  private func databases(path: String, _ folder: ScratchFolder) throws -> LocalDatabases {
    try databases(path, folder, threshold: 1000)
  }

  @Test func `a table that is cut short or somebody else's file is none`() throws {
    let (file, folder) = (try ScratchFile(Self.file()), try ScratchFolder())
    let expected = answers(try databases(file.path, folder))
    let path = try "\(folder.cache)/" + #require(folder.tables.first)
    for size in [0, 100, 8192, 100_000] {
      #expect(unsafe truncate(path, off_t(size)) == 0)
      #expect(answers(try databases(file.path, folder)) == expected)
      #expect(CompiledDatabase(path: path) != nil)
    }
    unsafe unlink(path)
    #expect(unsafe symlink("/dev/zero", path) == 0)
    #expect(answers(try databases(file.path, folder)) == expected)
  }

  @Test func `many callers at once get the same answers while the table is made`() async throws {
    let (file, folder) = (try ScratchFile(Self.file(networks: 200)), try ScratchFolder())
    let expected = answers(try LocalDatabases(paths: [file.path]))
    let databases = try databases(file.path, folder, threshold: 20)
    let wrong = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<50).count { _ in
            let block = databases.lookUp(Self.addresses)
            return block.records.map { fields(of: $0, in: block) } != expected
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
    #expect(folder.tables.count == 1)
  }
}

extension ScratchFolder {
  /// The folder of the tables, which is not made yet.
  fileprivate var cache: String { file("cache") }

  /// The names of the files in it but hidden ones.
  fileprivate var files: [String] {
    SondeSystem.names(in: cache).filter { !$0.hasPrefix(".") }.sorted()
  }

  fileprivate var tables: [String] { files.filter { $0.hasSuffix(".table") } }
}
