import SondeAddresses
import SondeSystem
import TestSupport
import Testing

@testable import SondeCounting
@testable import SondeRecords
@testable import SondeSummary

/// Hits that wait for answers, counted as a slow count has them.
struct AwaitedHitsTests {
  @Test func `a pair of an address and an hour takes 32 bytes`() {
    #expect(MemoryLayout<AwaitedHits.Hits>.stride == 32)
  }

  @Test(arguments: 1...10)
  func `what is kept and what is not add up, whenever the answers come`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let filter = try Filter("asn = 2 and line > 20 or asn = 1") { name throws(FilterFileError) in
      throw FilterFileError(name)
    }
    var (hits, addresses) = (AwaitedHits(filter), AddressCounts())
    var (timeline, slow) = (Timeline(zone: .utc), Timeline(zone: .utc))
    let questions = (0..<30).map { addresses.ask(about: Address(ipv4: $0), zone: nil) }
    var open = Set(questions.indices)
    var (kept, left) = (0, 0)
    func isKept(_ question: Int, _ line: UInt64) -> Bool {
      question % 3 == 1 || question % 3 == 2 && line > 20
    }
    for round in 0..<2000 {
      let question = Int.random(in: questions.indices, using: &generator)
      var record = Record(address: Address(ipv4: UInt32(question)), status: .ok)
      record.place.line = .random(in: 1...40, using: &generator)
      let time = Int64.random(in: 0..<20 * 3_600_000, using: &generator)
      if isKept(question, record.place.line) { slow.count(1, at: time) } else { left += 1 }
      let place = hits.kind(ofPlace: record, nil)
      switch hits.fate(of: question, at: place) {
      case .counted: timeline.count(1, at: time)
      case .excluded: kept -= 1
      case .awaited:
        let hour = timeline.hour(of: time)
        let hit = AwaitedHits.Hits(time, inHour: hour, at: place, ofInput: 0)
        hits.hold(hit, for: questions[question])
      }
      guard round % 50 == 49 || round > 1900, let answered = open.randomElement(using: &generator)
      else { continue }
      open.remove(answered)
      record.asn = UInt32(answered % 3)
      let (waiting, isExcluded, _) = hits.settle(answered, record, bytes: [UInt8]().span)
      #expect(isExcluded == (answered % 3 == 0))
      for waited in waiting?.hits ?? [] {
        if hits.fate(of: waited, for: answered) == .excluded {
          kept -= waited.count
        } else {
          timeline.count(waited.count, at: try #require(waited.times))
        }
      }
    }
    #expect(open.isEmpty && hits.waiting.isEmpty)
    #expect(-kept == left)
    let rows = timeline.table(.hour, hits: 1)?.rows
    #expect(rows == slow.table(.hour, hits: 1)?.rows)
    #expect(hits.tally(of: questions.indices).ok == questions.count)
  }
}
