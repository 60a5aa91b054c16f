import Records
import Scanner
import Testing

@testable import Dashboard

@Suite struct ThroughputTests {
  @Test func `rates are by the second, and gaps count for nothing`() {
    var throughput = Throughput()
    for second in 0...3 as ClosedRange<Int64> {
      throughput.note(Int(second) * 10, at: 100 + second)
    }
    throughput.interrupt()
    throughput.note(30, at: 500)
    throughput.note(50, at: 501)
    #expect(throughput.samples.map(\.at) == [101, 102, 103, 501])
    #expect(throughput.samples.map(\.rate) == [10, 10, 10, 20])
    #expect(throughput.rate == 20)
  }

  @Test func `a long scan has no more samples than a short one`() {
    var throughput = Throughput()
    for second in 0...100_000 as ClosedRange<Int64> {
      throughput.note(Int(second) * 7, at: second)
    }
    #expect(throughput.samples.count <= 601)
    #expect(throughput.samples.allSatisfy { abs($0.rate - 7) < 0.1 })
    #expect(Throughput(numbers: throughput.numbers) == throughput)
  }

  @Test func `what was kept wrongly is left out`() {
    for numbers in [[], [0, 1, 2], [.max, 1], [1, 2]] as [[UInt64]] {
      #expect(Throughput(numbers: numbers).samples.isEmpty, "\(numbers)")
    }
  }

  @Test func `counts are kept as they are`() {
    var counts = ScanCounts()
    (counts.tally.ok, counts.tally.entries, counts.tally.cached) = (3, 5, 1)
    counts.tally[Source(1)] = 2
    (counts.counters.requests, counts.counters.elapsed) = (7, 9)
    #expect(ScanCounts(numbers: counts.numbers) == counts)
    #expect(NumberText.numbers(in: NumberText.bytes(of: counts.numbers)) == counts.numbers)
    #expect(ScanCounts(numbers: []) == ScanCounts())
  }
}
