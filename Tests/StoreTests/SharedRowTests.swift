import Testing

@testable import SondeStore

@Suite struct SharedRowTests {
  private let row = SharedRow(born: .seconds(1_700_000_000), run: .max - 5, state: [1, 2, 3])

  @Test func `a row comes back as it was written`() {
    #expect(SharedRow(row.bytes) == row)
    let empty = SharedRow(born: .zero, run: 0, state: [])
    #expect(SharedRow(empty.bytes) == empty)
  }

  @Test func `any change of a byte makes it none`() {
    var wrong: [Int] = []
    for index in row.bytes.indices {
      var bytes = row.bytes
      bytes[index] ^= 1
      if SharedRow(bytes) != nil { wrong.append(index) }
      if SharedRow(Array(row.bytes[..<index])) != nil { wrong.append(index) }
    }
    #expect(wrong == [])
  }

  @Test func `the first use of an empty server waits for nothing`() {
    #expect(SharedRow.loss(of: nil, seen: nil, run: 1, now: .seconds(9)) == nil)
  }

  @Test func `a row that was seen and is gone was lost by now`() {
    #expect(SharedRow.loss(of: nil, seen: .seconds(5), run: 1, now: .seconds(9)) == .seconds(9))
  }

  @Test func `one that another has made anew was lost before that, whoever looks and when`() {
    let fresh = SharedRow(born: .seconds(7), run: 1, state: [])
    for now in [Duration.seconds(8), .seconds(80)] {
      #expect(SharedRow.loss(of: fresh, seen: .seconds(5), run: 1, now: now) == .seconds(7))
    }
    #expect(SharedRow.loss(of: fresh, seen: nil, run: 1, now: .seconds(8)) == nil)
    #expect(SharedRow.loss(of: fresh, seen: .seconds(7), run: 1, now: .seconds(8)) == nil)
    // None can have been made later than now.
    #expect(SharedRow.loss(of: fresh, seen: .seconds(5), run: 1, now: .seconds(6)) == .seconds(6))
  }

  @Test func `what an earlier run of the server has written may lack what came last`() {
    for seen in [nil, row.born] {
      #expect(SharedRow.loss(of: row, seen: seen, run: 1, now: .seconds(9)) == .seconds(9))
    }
  }
}
