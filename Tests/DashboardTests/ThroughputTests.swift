import SondeOutputs
import SondeRecords
import Testing

@testable import SondeDashboard

@Suite struct ThroughputTests {
  @Test func `rates are by the second, and nothing is done between two runs`() {
    var throughput = Throughput()
    throughput.begin(at: 100)
    for second in 1...3 { throughput.note(second * 10, at: 100 + Int64(second)) }
    throughput.end(30)
    throughput.begin(at: 500)
    throughput.note(20, at: 501)
    #expect(throughput.samples.map(\.at) == [101, 102, 103, 104, 500, 501])
    #expect(throughput.samples.map(\.rate) == [10, 10, 10, 0, 0, 20])
    #expect(throughput.rate == 20)
  }

  @Test func `what came in no whole second counts, too`() {
    var throughput = Throughput()
    throughput.begin(at: 100)
    throughput.end(7)
    #expect(throughput.samples == [Throughput.Sample(at: 101, rate: 7)])
    throughput.begin(at: 100)
    throughput.note(5, at: 100)
    throughput.end(5)
    #expect(throughput.samples.map(\.at) == [101, 102])
    #expect(throughput.samples.map(\.rate) == [7, 5])
  }

  @Test func `who looks late sees no peak, and who sleeps has done nothing`() {
    var throughput = Throughput()
    throughput.begin(at: 100)
    throughput.note(31, at: 103)
    throughput.note(41, at: 3700)
    #expect(throughput.samples.map(\.at) == [101, 102, 103, 104, 3699, 3700])
    #expect(throughput.samples.map(\.rate) == [10, 10, 11, 0, 0, 10])
  }

  @Test func `the rate is that of the last seconds`() {
    var throughput = Throughput()
    throughput.begin(at: 100)
    throughput.note(1500, at: 101)
    #expect(throughput.rate == 1500)
    for second in 102...111 as ClosedRange<Int64> { throughput.note(1500, at: second) }
    #expect(throughput.rate == 0)
    throughput.end(1500)
    #expect(throughput.rate == nil)
  }

  @Test func `a long scan has no more samples than a short one, and loses none of its records`() {
    var throughput = Throughput()
    throughput.begin(at: 0)
    for second in 1...100_000 as ClosedRange<Int64> {
      throughput.note(Int(second) * 7, at: second)
    }
    throughput.end(700_000)
    #expect(throughput.samples.count <= 601)
    #expect(throughput.samples.dropLast().allSatisfy { $0.rate == 7 })
    let interval = Int64(throughput.numbers[0])
    #expect(throughput.samples.map { Int64($0.rate * Double(interval)) }.reduce(0, +) == 700_000)
    #expect(Throughput(numbers: throughput.numbers) == throughput)
  }

  @Test func `many short runs have no more samples than one`() {
    var throughput = Throughput()
    for run in 0..<5000 as Range<Int64> {
      throughput.begin(at: run * 1000)
      throughput.note(3, at: run * 1000 + 1)
      throughput.end(3)
    }
    #expect(throughput.samples.count <= 3 * 601)
    #expect(throughput.samples.allSatisfy { $0.rate >= 0 && $0.rate <= 3 })
  }

  @Test func `what was kept wrongly is left out`() {
    for numbers in [[], [0, 1, 2], [.max, 1], [1, 2]] as [[UInt64]] {
      #expect(Throughput(numbers: numbers).samples.isEmpty, "\(numbers)")
    }
  }

  @Test func `nothing that was kept harms`() {
    var kept: [UInt64] = [1]
    for index in 0..<2000 as Range<UInt64> { kept += [.max - (index * 7919) << 30, .max] }
    var throughput = Throughput(numbers: kept)
    throughput.begin(at: 100)
    for second in 101...140 as ClosedRange<Int64> { throughput.note(5, at: second) }
    throughput.end(5)
    #expect(throughput.samples.count <= 3 * 601)
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
