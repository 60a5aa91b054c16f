import SondeAddresses
import SondeRecords
import SondeSystem
import TestSupport
import Testing

@testable import SondeSummary

/// Records of a few hundred addresses with a few dozen profiles, counted twice: as a summary does, and
/// slowly.
private struct Book {
  var addresses = AddressCounts()
  var profiles = Profiles()
  var timeline = Timeline(zone: .utc)
  /// Of each hit the address and what is known of it; `nil` where it is not answered.
  var hits: [(address: Address?, profile: Sample?)] = []
  private var questions: [Address] = []
  private var answers: [Address: Sample] = [:]

  struct Sample: Hashable {
    var country: Int
    var network: Int
    var city: Int
    var status: Status
  }

  mutating func occur(_ found: [Address]) {
    for start in stride(from: 0, to: found.count, by: DistinctSet.blockSize) {
      let block = Array(found[start..<min(start + DistinctSet.blockSize, found.count)])
      let new = addresses.count(block.span)
      for (index, address) in block.enumerated() {
        let isNew = !questions.contains(address)
        #expect((new >> UInt64(index) & 1 == 1) == isNew)
        if isNew { questions.append(address) }
        hits.append((address, nil))
      }
    }
  }

  mutating func record(_ address: Address?, _ sample: Sample) {
    let (record, block) = Self.record(address, sample)
    let id = profiles.id(of: record, bytes: block.bytes.span, status: sample.status, source: "x")
    addresses.count(address, as: id)
    hits.append((address, sample))
  }

  /// Answers a question; the last ones stay open.
  mutating func answer(_ number: Int, _ sample: Sample) {
    let (record, block) = Self.record(questions[number], sample)
    profiles.settle(UInt64(number), record, bytes: block.bytes.span, source: "y")
    answers[questions[number]] = sample
  }

  var asked: Int { questions.count }

  private static func record(_ address: Address?, _ sample: Sample) -> (Record, RecordBlock) {
    var block = RecordBlock()
    var record = Record(address: address, status: sample.status)
    if sample.country > 0 { record[.countryCode] = block.append(text: "C\(sample.country)") }
    if sample.city > 0 { record[.city] = block.append(text: "City \(sample.city)") }
    record.asn = UInt32(sample.network)
    return (record, block)
  }

  var report: SummaryReport {
    var report = SummaryReport(title: "", madeAt: 0)
    var rules = SummaryReport.Rules()
    rules.addresses = .max
    report.take(
      SummaryCounts(addresses: addresses, profiles: profiles, timeline: timeline),
      rules
    )
    return report
  }

  /// Hits and distinct addresses by a key.
  func slow(_ key: (Sample?) -> String) -> [String: [Int]] {
    var rows: [String: (hits: Int, addresses: Set<Address>)] = [:]
    for hit in hits {
      let sample = hit.profile ?? hit.address.flatMap { answers[$0] }
      rows[key(sample), default: (0, [])].hits += 1
      if let address = hit.address { rows[key(sample), default: (0, [])].addresses.insert(address) }
    }
    return rows.mapValues { [$0.hits, $0.addresses.count] }
  }
}

@Suite struct CountTests {
  @Test(arguments: 1...20)
  func `counts are those of a slow count`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var book = Book()
    let pool = (0..<300).map { number in
      number % 3 == 0
        ? Address(high: 0x2001_0db8 << 32, low: UInt64(number)) : Address(ipv4: UInt32(number))
    }
    for _ in 0..<40 {
      if Bool.random(using: &generator) {
        let count = Int.random(in: 0...200, using: &generator)
        book.occur((0..<count).map { _ in pool[.random(in: 0..<pool.count, using: &generator)] })
      } else {
        let address =
          Int.random(in: 0..<10, using: &generator) == 0
          ? nil : pool.randomElement(using: &generator)
        book.record(address, sample(&generator))
      }
    }
    for number in 0..<(book.asked * 9 / 10) { book.answer(number, sample(&generator)) }
    let report = book.report
    #expect(report.totals.hits == book.hits.count)
    #expect(report.totals.addresses == Set(book.hits.compactMap(\.address)).count)
    try check(
      report,
      .country,
      book.slow { $0.map { $0.country == 0 ? "" : "C\($0.country)" } ?? "" }
    )
    try check(
      report,
      .network,
      book.slow { $0.map { $0.network == 0 ? "" : "AS\($0.network)" } ?? "" }
    )
    try check(report, .status, book.slow { $0.map(\.status.name) ?? "" })
    let addresses = try #require(report[.address]).rows
    #expect(Set(addresses.map(\.key)).count == addresses.count)
    for address in Set(book.hits.compactMap(\.address)) {
      let row = try #require(addresses.first { $0.key == address.description })
      #expect(row.hits == book.hits.count { $0.address == address })
    }
  }

  @Test func `the first addresses are those of a full sort`() throws {
    var generator = SeededGenerator(seed: 3)
    var book = Book()
    for _ in 0..<200 {
      book.occur((0..<60).map { _ in Address(ipv4: .random(in: 1...5000, using: &generator)) })
    }
    let all = try #require(book.report[.address])
    var report = SummaryReport(title: "", madeAt: 0)
    report.take(
      SummaryCounts(addresses: book.addresses, profiles: book.profiles, timeline: book.timeline)
    )
    let first = try #require(report[.address])
    #expect(first.rows.count == SummaryTable.leastAddresses && first.count == all.rows.count)
    #expect(first.rows == Array(all.rows.prefix(first.rows.count)))
    #expect(zip(all.rows, all.rows.dropFirst()).allSatisfy(SummaryTable.Row.comesBefore))
  }

  @Test func `the set grows without losing an address`() {
    var counts = AddressCounts()
    for round in 0..<2 {
      for start in stride(from: 0, to: 100_000, by: 50) {
        let block = (start..<start + 50).map { Address(ipv4: UInt32($0) &* 2_654_435_761) }
        let new = counts.count(block.span)
        #expect(new.nonzeroBitCount == (round == 0 ? 50 : 0))
      }
    }
    #expect(counts.distinct == 100_000 && counts.entries.allSatisfy { $0.hits == 2 })
  }

  @Test func `questions that nobody met are left out, wherever they stand`() throws {
    var generator = SeededGenerator(seed: 9)
    var (counts, profiles) = (AddressCounts(), Profiles())
    var hits: [String: Int] = [:]
    let record = Record(address: nil, status: .ok)
    let profile = profiles.id(of: record, bytes: [UInt8]().span, status: .ok, source: "")
    var questions = 0
    for number in 0..<400 {
      let address = Address(ipv4: UInt32(number))
      let zone = number % 7 == 0 ? Array("eth\(number % 2)".utf8) : nil
      let key = address.description + (zone.map { "%" + String(decoding: $0, as: UTF8.self) } ?? "")
      let (before, behind) = (
        Int.random(in: 0...1, using: &generator), Int.random(in: 0...1, using: &generator)
      )
      for _ in 0..<before { counts.count(address, zone: zone ?? [], as: profile) }
      #expect(counts.question(about: address, zone: zone) == nil)
      let question = counts.ask(about: address, zone: zone)
      #expect(counts.question(about: address, zone: zone)?.number == question.number)
      let met = Int.random(in: 0...2, using: &generator)
      counts.count(met, of: question)
      for _ in 0..<behind { counts.count(address, zone: zone ?? [], as: profile) }
      questions += met > 0 ? 1 : 0
      if before + met + behind > 0 { hits[key] = before + met + behind }
    }
    #expect(counts.distinct == 400)
    var report = SummaryReport(title: "", madeAt: 0)
    let met = counts.met
    let made = SummaryCounts(addresses: met, profiles: profiles, timeline: Timeline(zone: .utc))
    report.take(made)
    let rows = try #require(report[.address]).rows
    #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0.hits) }) == hits)
    #expect(met.distinct == hits.count && met.questions == questions)
    #expect(met.questionNumbers.reduce(0) { count, _ in count + 1 } == questions)
  }

  private func sample(_ generator: inout SeededGenerator) -> Book.Sample {
    Book.Sample(
      country: .random(in: 0...4, using: &generator),
      network: .random(in: 0...4, using: &generator),
      city: .random(in: 0...2, using: &generator),
      status: [.ok, .unknown, .failed].randomElement(using: &generator) ?? .ok
    )
  }

  private func check(
    _ report: SummaryReport,
    _ kind: SummaryTable.Kind,
    _ slow: [String: [Int]]
  ) throws {
    let table = try #require(report[kind])
    let found = table.rows.map { ($0.key, [$0.hits, $0.addresses ?? -1]) }
    #expect(Dictionary(found, uniquingKeysWith: { $1 }) == slow)
    #expect(zip(table.rows, table.rows.dropFirst()).allSatisfy(SummaryTable.Row.comesBefore))
  }
}

@Suite struct TimelineTests {
  @Test func `hours are added up whatever their order`() {
    var generator = SeededGenerator(seed: 1)
    let times = (0..<1000).map { _ in Int64.random(in: 0..<400_000_000, using: &generator) }
    var whole = Timeline(zone: .utc)
    var added = Timeline(zone: .utc)
    for part in stride(from: 0, to: 1000, by: 100) {
      var slice = Timeline(zone: .utc)
      for time in times[part..<part + 100] {
        whole.count(1, at: time)
        slice.count(1, at: time)
      }
      added.add(slice)
    }
    let slow = Dictionary(grouping: times) { $0 / 3_600_000 * 3600 }.mapValues(\.count)
    #expect(whole.counted == slow && added.counted == slow)
    #expect(added.range == whole.range && added.range == (times.min() ?? 0)...(times.max() ?? 0))
    #expect(added.table(.hour, hits: 1000)?.rows.map(\.hits).reduce(0, +) == 1000)
  }

  @Test(arguments: ["Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo", "Asia/Kathmandu"])
  func `a timeline of any zone has no gaps and no doubles`(name: String) throws {
    let zone = try #require(TimeZoneRules(name))
    // Each year's changes of the clocks, and the day that Samoa left out.
    for year in 2009...2017 {
      var timeline = Timeline(zone: zone)
      let first = CivilDate(year: year, month: 1, day: 1).number * secondsOfDay
      for hour in Int64(0)..<8760 { timeline.count(1, at: (first + hour * 3600) * 1000) }
      let hours = try #require(timeline.table(.hour, hits: 1)).rows
      let days = try #require(timeline.table(.day, hits: 1)).rows
      #expect(
        Set(hours.map(\.key)).count == hours.count && Set(days.map(\.key)).count == days.count
      )
      let starts = hours.compactMap(\.start)
      #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 <= 3600 })
      #expect(hours.map(\.hits).reduce(0, +) == 8760 && days.map(\.hits).reduce(0, +) == 8760)
    }
  }
}
