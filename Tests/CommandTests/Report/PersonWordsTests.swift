import Testing

@testable import SondeRecords
@testable import sonde

@Suite struct PersonWordsTests {
  @Test func `a number has the noun that fits`() {
    #expect(count(0, "entry", "entries") == "0 entries")
    #expect(count(1, "entry", "entries") == "1 entry")
    #expect(count(2, "entry", "entries") == "2 entries")
  }
}
