import Foundation
import SondeAddresses
import TestSupport
import Testing

@testable import SondeDatabases
@testable import SondeRecords

@Suite struct DatabaseArchiveTests {
  /// Databases of 30 days, built at multiples of 10 s; that of each day names another region.
  private func files(in folder: ScratchFolder) throws -> [DatedDatabase] {
    try (1...30).map { number in
      let path = folder.file("\(number).mmdb")
      var file = MaxMindFile()
      file.buildDate = UInt64(number * 10)
      file.add("1.0.0.0/8", .map(["country_code": .text("DE"), "region": .text("\(number)")]))
      try Data(file.bytes()).write(to: URL(fileURLWithPath: path))
      return try DatedDatabase(path: path)
    }
  }

  private func regions(_ block: RecordBlock) -> [String?] {
    block.records.map { block.text(.region, of: $0) }
  }

  @Test func `each address is answered as of its period, with few databases open`() throws {
    let folder = try ScratchFolder()
    let archive = DatabaseArchive(try files(in: folder), mostOpen: 4)
    let databases = LocalDatabases(archive)
    let address = Address(ipv4: 0x0102_0304)
    for _ in 0..<20 {
      let seconds = (0..<40).map { _ in Int64.random(in: 0..<320) }
      let periods = seconds.map { archive.periods.period(of: $0 * 1000) }
      let block = databases.lookUp(seconds.map { _ in address }, in: periods)
      let expected = seconds.map { $0 < 10 ? nil : "\(min($0 / 10, 30))" }
      #expect(regions(block) == expected)
      #expect(block.records.map(\.place.period) == periods)
      #expect((1...4).contains(archive.openCount))
    }
    #expect(databases.builds.count == 30 && databases.builds.contains(where: \.hasAnswered))
    #expect(databases.warnings == [])
  }

  @Test func `without a time or before all builds, addresses are unknown for a reason`() throws {
    let folder = try ScratchFolder()
    let archive = DatabaseArchive(try files(in: folder))
    let address = Address(ipv4: 0x0102_0304)
    let periods = [BuildPeriod.timeless, .undated, archive.periods.period(of: 9999)]
    let block = LocalDatabases(archive).lookUp([address, address, address], in: periods)
    #expect(block.records.map(\.status) == [.unknown, .unknown, .unknown])
    let messages = block.records.map { block.text(.message, of: $0) }
    #expect(messages[0] == messages[1] && messages[0] != messages[2])
    #expect(LocalDatabases(archive).lookUp([address], in: []).records[0].status == .unknown)
    #expect(archive.openCount == 0)
  }

  @Test func `a file that is gone or another build fails where it is needed`() throws {
    let folder = try ScratchFolder()
    let archive = DatabaseArchive(try files(in: folder))
    try FileManager.default.removeItem(atPath: folder.file("5.mmdb"))
    try FileManager.default.removeItem(atPath: folder.file("6.mmdb"))
    try FileManager.default.copyItem(atPath: folder.file("7.mmdb"), toPath: folder.file("6.mmdb"))
    let address = Address(ipv4: 0x0102_0304)
    let periods = [50, 60, 70].map { archive.periods.period(of: $0 * 1000) }
    let databases = LocalDatabases(archive)
    let block = databases.lookUp([address, address, address], in: periods)
    #expect(block.records.map(\.status) == [.failed, .failed, .ok])
    #expect(databases.warnings.count == 2)
  }
}
