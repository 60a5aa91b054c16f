import Records
import Testing

@testable import Scanner
@testable import sonde

@Suite struct ProgressEstimateTests {
  private func text(
    done: Int,
    read: Int,
    isRead: Bool = true,
    bytes: (UInt64, UInt64?) = (0, nil),
    seconds: Int = 10,
    offline: Int = 0,
    quota: Int? = nil,
    lost: String? = nil
  ) -> String {
    var scan = ScanProgress()
    scan.tally.entries = done
    scan.entriesRead = read
    scan.isInputRead = isRead
    var reading = ReadProgress()
    (reading.bytes, reading.total) = bytes
    return ProgressEstimate(
      scan,
      reading,
      elapsed: .seconds(seconds),
      offline: .seconds(offline)
    ).text(quota: quota, lost: lost)
  }

  @Test func `the line says how far it is, how fast, and what is left`() {
    #expect(
      text(done: 1200, read: 10_000, quota: 3)
        == "1,200 of 10,000 (12 %), 120/s, quota 3, 1 min 13 s left"
    )
    #expect(text(done: 999, read: 1_000_000, seconds: 1).hasPrefix("999 of 1,000,000 (0 %), 999/s"))
    #expect(text(done: 10, read: 10) == "10 of 10 (100 %), 60/min")
  }

  @Test func `a slow pace is told by the minute, and none is none`() {
    #expect(text(done: 5, read: 10) == "5 of 10 (50 %), 30/min, 10 s left")
    #expect(text(done: 0, read: 10) == "0 of 10 (0 %), 0/s")
    #expect(text(done: 0, read: 10, seconds: 0) == "0 of 10 (0 %), 0/s")
  }

  @Test func `while it is read a file's total is estimated by its size`() {
    #expect(
      text(done: 100, read: 200, isRead: false, bytes: (1000, 10_000), seconds: 10)
        == "100 of about 2,000 (5 %), 10/s, 3 min 10 s left"
    )
    // A file that grows has not more than all of it read.
    #expect(
      text(done: 1, read: 2, isRead: false, bytes: (99, 10), seconds: 1).hasPrefix("1 of about 2 ")
    )
  }

  @Test func `without a size the line says what is done`() {
    for bytes in [(0, nil), (0, 100), (100, nil), (0, 0)] as [(UInt64, UInt64?)] {
      #expect(text(done: 1234, read: 2000, isRead: false, bytes: bytes) == "1,234 done, 123/s")
    }
    #expect(text(done: 0, read: 0) == "0 done, 0/s")
  }

  @Test func `time offline tells nothing about the pace`() {
    #expect(
      text(done: 100, read: 200, seconds: 100, offline: 90) == "100 of 200 (50 %), 10/s, 10 s left"
    )
    #expect(text(done: 1, read: 2, seconds: 5, offline: 9) == "1 of 2 (50 %), 0/s")
    #expect(text(done: 1, read: 2, quota: 4, lost: "waiting") == "1 of 2 (50 %), waiting")
  }
}
