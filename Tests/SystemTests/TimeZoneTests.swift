import Foundation
import TestSupport
import Testing

@testable import SondeSystem

enum TimeZoneSamples {
  static let names = [
    "UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/St_Johns", "Asia/Tokyo",
    "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo",
    "Africa/Casablanca",
    "Europe/Dublin", "America/Godthab", "Asia/Tehran", "Antarctica/Troll",
  ]
}

@Suite struct TimeZoneTests {
  @Test(arguments: TimeZoneSamples.names)
  func `clocks are ahead by what Foundation says`(name: String) throws {
    let rules = try #require(TimeZoneRules(name))
    let zone = try #require(TimeZone(identifier: name))
    var generator = SeededGenerator(seed: 7)
    let moments = (0..<2000).map { _ in Int64.random(in: 0...2_145_916_800, using: &generator) }
    let wrong = moments.filter { moment in
      let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
      return rules.stretch(at: moment).offset != Int64(offset)
    }
    #expect(wrong == [])
  }

  @Test(arguments: TimeZoneSamples.names)
  func `what clocks show leads back to the moment`(name: String) throws {
    let rules = try #require(TimeZoneRules(name))
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<2000 {
      let moment = Int64.random(in: 0...5_000_000_000, using: &generator)
      let local = moment + rules.stretch(at: moment).offset
      let found = rules.moment(at: local)
      // Of two moments, the first one.
      #expect(found <= moment && found + rules.stretch(at: found).offset == local)
    }
  }

  @Test func `a skipped and a doubled time are what Python says`() throws {
    let rules = try #require(TimeZoneRules("Europe/Berlin"))
    // 2015-03-29 02:30 does not exist; 2015-10-25 02:30 does twice (zoneinfo, fold=0).
    #expect(rules.moment(at: 1_427_596_200) == 1_427_592_600)
    #expect(rules.moment(at: 1_445_740_200) == 1_445_733_000)
  }

  @Test func `a rule goes on behind the last change of the file`() throws {
    let rules = try #require(TimeZoneRules("Europe/Berlin"))
    // 2100-01-01 and 2100-07-01.
    #expect(rules.stretch(at: 4_102_444_800).offset == 3600)
    #expect(rules.stretch(at: 4_118_083_200).offset == 7200)
  }

  @Test(arguments: [
    "", "Mars/X", "/etc/passwd", "../../../etc/passwd", "Europe", "Europe/Berlin/", "tzdata.zi",
    "leapseconds",
  ])
  func `what is no name of a zone is refused`(name: String) {
    #expect(TimeZoneRules(name) == nil)
  }
}
