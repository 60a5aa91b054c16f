import Testing

@testable import SondeSystem

@Suite struct LineClockTests {
  /// The times that hold at the lines with these numbers, in seconds since 1970 UTC, and at the end.
  private func times(_ lines: [String], at numbers: [Int]) -> [Int64?] {
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    var starts = [0]
    for line in lines { starts.append(starts[starts.count - 1] + line.utf8.count + 1) }
    var clock = LineClock(LineTimeParser(zone: .utc, now: 0), from: 0)
    let found = numbers.map { clock.time(in: bytes.span, from: starts[$0]) }
    let last = clock.time(atEndOf: bytes.span)
    return (found + [last]).map { $0.map { $0 / 1000 } }
  }

  private let lines = [
    "no time", "1970-01-01T00:00:01Z one", "none", "", "none", "1970-01-01T00:00:09Z nine",
    "1970-01-01T00:00:02Z two", "none",
  ]

  @Test func `a line without a time has that of the last line with one`() {
    let all: [Int64?] = [nil, 1, 1, 1, 1, 9, 2, 2]
    #expect(times(lines, at: Array(0..<8)) == all + [2])
    // The same whichever lines are looked at.
    for choice in 0..<256 {
      let numbers = (0..<8).filter { choice >> $0 & 1 != 0 }
      #expect(times(lines, at: numbers) == numbers.map { all[$0] } + [2], "\(numbers)")
    }
    #expect(times(["a", "b"], at: [0, 1]) == [nil, nil, nil])
    #expect(times([], at: []) == [nil])
  }

  @Test func `a known time is not looked for, and a start is looked at once`() {
    let bytes = Array("1970-01-01T00:00:01Z\nnone\n".utf8)
    var clock = LineClock(LineTimeParser(zone: .utc, now: 0), from: 0)
    #expect(clock.time(in: bytes.span, from: 0, own: .some(5)) == 5)
    #expect(clock.time(in: bytes.span, from: 0) == 5)
    #expect(clock.time(in: bytes.span, from: 21, own: .some(nil)) == 5)
    #expect(clock.time(atEndOf: bytes.span) == 5)
    // A slice that begins with the second line.
    clock = LineClock(LineTimeParser(zone: .utc, now: 0), from: 21)
    #expect(clock.time(in: bytes.span, from: 21) == nil)
    #expect(clock.time(atEndOf: bytes.span) == nil)
  }
}
