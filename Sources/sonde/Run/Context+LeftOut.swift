import SondeSetup
import SondeLogs
import SondeRecords
import SondeReport
import SondeSystem

extension Context {
  /// Says what was not counted because of the period.
  func tell(_ left: LeftOut, hasCounted: Bool) {
    let reason = "for --since and --until"
    if left.records > 0 {
      let records = count(left.records, "record", "records")
      console.note("\(records) left out: only logs have times, \(reason)")
    }
    if left.timeless > 0 {
      let hits = count(left.timeless, "hit", "hits")
      console.note("\(hits) left out: their lines have no time, \(reason)")
    }
    // If other hits count, or some were excluded for another reason, the period is as intended.
    guard !hasCounted, left.excluded == 0, let last = left.last else { return }
    let sides = [(left.early, "before --since"), (left.late, "from --until on")]
    let words = sides.filter { $0.0 > 0 }.map { count($0.0, "hit", "hits") + " \($0.1)" }
      .joined(separator: ", ")
    let time = Timestamp(seconds: last / 1000).wholeSeconds
    console.note("nothing in that time: \(words), the last at \(time)")
  }
}
