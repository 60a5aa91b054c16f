import SondeAddresses
import Testing

@testable import SondeRecords

@Suite struct TallyTests {
  private func tally(_ statuses: [Status]) -> Tally {
    var tally = Tally()
    for status in statuses { tally.count(Record(address: nil, status: status)) }
    return tally
  }

  @Test func `every record is counted once, by how it ended`() {
    let books = tally([.ok, .ok, .unknown, .reserved, .invalid, .failed, .networkLost])
    #expect(books.ok == 2 && books.unknown == 1 && books.reserved == 1 && books.invalid == 1)
    #expect(books.failed == 1 && books.networkLost == 1 && books.records == 7)
  }

  @Test func `who answered, and whether from the cache`() {
    var books = Tally()
    var record = Record(address: Address(ipv4: 1), status: .ok)
    for source in [.ipAPI, .ipinfo, .libloc, .mmdb, .mmdb, .ipAPI] as [Source] {
      record.source = source
      record.isCached.toggle()
      books.count(record)
    }
    #expect(books.cached == 3 && books.ok == 6)
    #expect(books[.mmdb] == 2 && books[.ipAPI] == 2 && books.sources.reduce(0, +) == 6)
    // libloc answered from the cache alone.
    let providers: [Source] = [.ipAPI, .ipinfo, .libloc, .mmdb]
    let answering = providers.filter { books.hasAnswer(of: $0) }
    #expect(answering == [.ipAPI, .ipinfo, .mmdb])
  }

  @Test func `the books balance when every entry ended once`() {
    var books = tally([.ok, .invalid])
    #expect(!books.balances)
    books.entries = 3
    books.duplicates = 1
    #expect(books.balances)
    books.count(Record(address: nil, status: .failed))
    #expect(!books.balances)
  }

  @Test func `the books of parts add up`() {
    let statuses = Status.allCases + [.ok, .failed]
    var left = tally(Array(statuses.prefix(3)))
    var right = tally(Array(statuses.dropFirst(3)))
    (left.entries, right.entries, right.duplicates) = (3, 6, 1)
    var record = Record(address: nil, status: .ok)
    (record.source, record.isCached) = (.libloc, true)
    right.count(record)
    left += right
    var whole = tally(statuses)
    whole.count(record)
    (whole.entries, whole.duplicates) = (9, 1)
    #expect(left == whole && left[.libloc] == 1 && left.cached == 1)
  }
}
