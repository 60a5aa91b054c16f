import SondeInputs
import SondeRecords

extension LineBlock {
  /// Whether a line is written.
  enum Selection: UInt8, Sendable {
    /// It has no address.
    case unmatched
    /// The answers about its addresses decide.
    case awaited
    case kept
    case excluded
  }

  /// The time of a line, and what its text contributes to the verdict about it.
  struct Sighting: Sendable {
    var time: Int64?
    var text: FilterFindings?
  }

  /// Finds what the filter needs of lines, before anything in them is replaced.
  mutating func noteSightings(for filter: LineFilter) {
    var times = filter.timeParser
    let bytes = bytes
    sightings = lines.map { line in
      var end = line.range.upperBound
      for byte: UInt8 in [0x0a, 0x0d] where end > line.range.lowerBound && bytes[end - 1] == byte {
        end -= 1
      }
      return filter.sighting(of: bytes.span.extracting(line.range.lowerBound..<end), &times)
    }
  }

  func isAddress(_ subject: Int) -> Bool {
    subject != Int(SubjectList.nothing) && subjects.all[subject].address != nil
  }

  /// For each subject, whether it occurs in a line.
  var occurring: [Bool] {
    var occurring = [Bool](repeating: false, count: subjects.all.count)
    for insertion in insertions where insertion.subject != SubjectList.nothing {
      occurring[Int(insertion.subject)] = true
    }
    return occurring
  }

  /// Sets what the place of a line contributes to the verdict about it.
  mutating func setPlace(_ findings: FilterFindings, ofLine line: Int) {
    // Usually the same for all lines of a block.
    if places.last != findings { places.append(findings) }
    lines[line].place = UInt32(places.count - 1)
  }

  /// Removes and counts all lines that are neither kept nor awaited.
  mutating func dropExcluded() {
    var (text, kept, remaining) = ([UInt8](), [Line](), [Insertion]())
    text.reserveCapacity(bytes.count)
    kept.reserveCapacity(lines.count)
    remaining.reserveCapacity(insertions.count)
    for index in lines.indices {
      var line = lines[index]
      let range = insertions(of: index..<index + 1)
      guard line.selection == .kept || line.selection == .awaited else {
        excluded.entries += countEntries(in: range)
        continue
      }
      let (start, end) = (line.start, line.end)
      line.start = UInt32(text.count)
      line.end = line.start + (end - start)
      line.firstInsertion = UInt32(remaining.count)
      for insertion in insertions[range] {
        var insertion = insertion
        insertion.offset = insertion.offset - start + line.start
        remaining.append(insertion)
      }
      text.append(copying: bytes.span.extracting(Int(start)..<Int(end)))
      kept.append(line)
    }
    excluded.lines = lineCount - kept.count + (hasHeader ? 1 : 0)
    (bytes, lines, insertions) = (text, kept, remaining)
  }

  /// Decides about a line whose answers are known.
  mutating func decide(_ line: Int, by rules: LineRules) {
    guard lines[line].selection == .awaited, let filter = rules.filter else { return }
    let place = places.isEmpty ? nil : places[Int(lines[line].place)]
    let isKept = insertions(of: line..<line + 1).contains { index in
      let subject = Int(insertions[index].subject)
      return isAddress(subject) && !subjects.isSkipped(subject)
        && filter.admits(subjects.outcome(of: subject), at: place)
    }
    lines[line].selection = isKept ? .kept : .excluded
  }

  /// The number of addresses and invalid items among some insertions, with repetitions.
  func countEntries(in range: Range<Int>) -> Int {
    insertions[range].count { $0.subject != SubjectList.nothing }
  }
}
