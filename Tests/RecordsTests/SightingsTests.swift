import SondeAddresses
import SondeSystem
import Testing

@testable import SondeRecords

@Suite struct SightingsTests {
  private static let address = Address(high: 0, low: 0xffff_0808_0808)

  private static func filter(_ text: String) throws -> Filter {
    try Filter(text, moment: { Int64($0) }) { path throws(FilterFileError) in
      throw FilterFileError("no file \(path)")
    }
  }

  private static func sightings(_ text: String?, totals: Bool = true) throws -> Sightings {
    var rules = Sightings.Rules()
    rules.filter = try text.map { try filter($0) }
    rules.countsTotals = totals
    return Sightings(rules)
  }

  /// Judges occurrences of one address at times in milliseconds; returns fates and entries.
  private static func take(
    _ times: [Int64?],
    _ sightings: Sightings
  ) -> (fates: [SightingBook.Fate], places: [Place]) {
    var (fates, places): ([SightingBook.Fate], [Place]) = ([], [])
    for (line, time) in times.enumerated() {
      let (fate, place) = sightings.note { book in
        var place = Place(line: UInt64(line + 1), time: time)
        let occurrence = SightingBook.Occurrence(address)
        return (book.take(occurrence, at: &place, line: { nil }), place)
      }
      fates.append(fate)
      if fate == .entry { places.append(place) }
    }
    return (fates, places)
  }

  private static func record(_ place: Place, country: String, in block: inout RecordBlock) -> Record
  {
    var record = Record(address: address, status: .ok)
    record.place = place
    record[.countryCode] = block.append(text: country)
    return record
  }

  @Test func `totals count all occurrences`() throws {
    let sightings = try Self.sightings(nil)
    let (fates, places) = Self.take([5000, nil, 2000, 9500], sightings)
    #expect(fates == [.entry, .duplicate, .duplicate, .duplicate])
    var block = RecordBlock()
    let totals = sightings.totals(of: Self.record(places[0], country: "US", in: &block))
    #expect(totals?.number(.hits) == 4 && totals?.number(.packets) == nil)
    #expect(totals?.seconds(.firstSeen) == 2 && totals?.seconds(.lastSeen) == 9)
  }

  @Test func `a block of occurrences counts as each of them alone`() throws {
    let (block, single) = (try Self.sightings(nil), try Self.sightings(nil))
    for _ in 0..<50 {
      let addresses = (0..<Int.random(in: 1...64)).map { _ in
        Address(high: .random(in: 0...1), low: 0xffff_0000_0000 | .random(in: 0..<200))
      }
      let times = addresses.map { _ in Bool.random() ? Int64.random(in: 0..<100_000) : nil }
      let new = block.note { $0.count(addresses.span, at: times.span) }
      for (index, address) in addresses.enumerated() {
        let fate = single.note { book in
          var place = Place(line: 1, time: times[index])
          return book.take(SightingBook.Occurrence(address), at: &place, line: { nil })
        }
        #expect((fate == .entry) == (new >> UInt64(index) & 1 == 1))
      }
    }
    for high in UInt64(0)...1 {
      for low in UInt64(0)..<200 {
        let record = Record(address: Address(high: high, low: 0xffff_0000_0000 | low), status: .ok)
        #expect(block.totals(of: record) == single.totals(of: record))
      }
    }
  }

  @Test(arguments: [
    ("hits >= 5", 5, 1, FilterVerdict.yes), ("hits >= 5", 3, 1, .no), ("hits >= 5", 3, 2, .open),
    ("hits < 5", 2, 2, .yes), ("hits < 5", 5, 1, .no), ("hits < 5", 4, 1, .open),
    // Neither bound is 4, and what lies between may be.
    ("hits = 4", 3, 2, .open), ("not hits = 4", 3, 2, .open),
    ("packets < 4", 0, 9, .open), ("hits in (1, 9)", 9, 0, .yes),
  ])
  func `only what no answer could change is decided without one`(
    condition: String,
    staying: Int,
    open: Int,
    verdict: FilterVerdict
  ) throws {
    var filter = try Self.filter("(input = a or country_code = DE) and \(condition)")
    filter.inputs = ["a", "b"]
    let parts = [staying, open].enumerated().map { input, hits in
      var record = Record(address: nil, status: .ok)
      record.place.input = UInt32(input)
      var totals = Totals()
      totals.add(hits, at: nil)
      return (place: filter.findings(ofPlace: record), totals: totals)
    }
    let entry = Record(address: Self.address, status: .ok)
    let none: [UInt8] = []
    let findings = filter.findings(ofEntry: entry, bytes: none.span)
    #expect(filter.verdicts(of: findings, at: parts)[0] == verdict)
  }

  @Test func `without a time there is no first one`() throws {
    let sightings = try Self.sightings(nil)
    var block = RecordBlock()
    let place = Self.take([nil], sightings).places[0]
    let totals = sightings.totals(of: Self.record(place, country: "US", in: &block))
    #expect(totals?.has(.firstSeen) == false && totals?.has(.hits) == true)
  }

  @Test func `occurrences that a condition excludes do not count`() throws {
    let sightings = try Self.sightings("time >= 3000")
    let (fates, places) = Self.take([1000, 3000, 2000, 4000], sightings)
    #expect(fates == [.excluded, .entry, .excluded, .duplicate])
    #expect(places.map(\.line) == [2])
    var block = RecordBlock()
    let totals = sightings.totals(of: Self.record(places[0], country: "US", in: &block))
    #expect(totals?.number(.hits) == 2 && totals?.seconds(.firstSeen) == 3)
  }

  @Test(arguments: [
    ("US", 2), ("DE", 1), ("FR", 0),
  ])
  func `answers decide which occurrences stay`(country: String, hits: Int) throws {
    let text = "country_code = US and time >= 3000 or country_code = DE and time < 3000"
    var filter = try Self.filter(text)
    let sightings = try Self.sightings(text)
    filter.sightings = sightings
    let (fates, places) = Self.take([1000, 3000, 4000], sightings)
    #expect(fates == [.entry, .entry, .duplicate])
    var block = RecordBlock()
    let records = places.map { Self.record($0, country: country, in: &block) }
    // Of a German address the first one stays alone; of an American one the second.
    let stays = records.map { !filter.excludes($0, bytes: block.bytes.span) }
    #expect(stays == [country == "DE", country == "US"])
    let isRepeated = filter.isRepeated(records[0], bytes: block.bytes.span)
    #expect(!isRepeated)
    let totals = filter.totals(of: records[0], bytes: block.bytes.span)
    #expect(totals?.number(.hits) == UInt64(hits))
  }

  @Test func `a record repeats an earlier one that stays`() throws {
    let text = "country_code = US or time >= 3000"
    var filter = try Self.filter(text)
    filter.sightings = try Self.sightings(text)
    let places = Self.take([1000, 3000, 2000], try #require(filter.sightings)).places
    #expect(places.map(\.line) == [1, 2])
    var block = RecordBlock()
    for (country, isRepeated) in [("US", true), ("DE", false)] {
      let record = Self.record(places[1], country: country, in: &block)
      let repeats = filter.isRepeated(record, bytes: block.bytes.span)
      #expect(repeats == isRepeated)
    }
  }

  @Test(arguments: [
    "hits > 2 and time >= 3000", "time >= 3000 and not hits <= 2",
    "(hits > 2 or hits = 1) and line > 0",
    "hits > 2", "hits > 2 or country_code = US",
  ])
  func `totals are judged last`(text: String) throws {
    var filter = try Self.filter(text)
    filter.sightings = try Self.sightings(filter.dependsOnPlace ? text : nil)
    let place = Self.take([3000, 3000, 1000, 4000], try #require(filter.sightings)).places[0]
    var block = RecordBlock()
    let record = Self.record(place, country: "US", in: &block)
    let isExcluded = filter.excludes(record, bytes: block.bytes.span)
    #expect(!isExcluded)
  }

  @Test(arguments: [
    "hits > 2 or time > 1", "not (hits > 2 and line > 1)", "(hits > 2 and text ~ a) and line > 1",
  ])
  func `totals and fields of one occurrence do not mix otherwise`(text: String) {
    #expect(throws: FilterError.self) { try Self.filter(text) }
  }

  @Test(arguments: [
    (OccurrenceValue.time, "2015-05-17T22:35:00Z"), (.hour, "2015-05-18T04:00+05:30"),
    (.day, "2015-05-18"), (.hourOfDay, "4"), (.weekday, "Mon"),
  ])
  func `an occurrence has its time on the clock`(value: OccurrenceValue, text: String) throws {
    let zone = try #require(TimeZoneRules("Asia/Kolkata"))
    #expect(value.text(of: 1_431_902_100_999, in: zone) == text)
  }
}
