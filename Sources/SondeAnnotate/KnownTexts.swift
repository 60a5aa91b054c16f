import SondeAddresses
import SondeRecords
import SondeStore

/// The answers that a run has received: in memory as far as they fit, the rest in a file.
struct KnownTexts {
  /// The number of answers written together.
  private static let spillSize = 4096
  /// The limit of memory in bytes.
  private static let room = 12 << 20

  private var recent = AnswerTexts(room: room)
  private let spill: AnswerSpill
  /// Whether some of them are only in the file.
  private(set) var hasSpilled = false

  init(_ spill: AnswerSpill) { self.spill = spill }

  /// Settles the subjects of a block whose addresses are in memory.
  func settle(_ subjects: inout SubjectList) {
    for number in subjects.all.indices where subjects.insertion(of: number) == nil {
      guard let key = subjects.all[number].key, let entry = recent.entry(of: key) else { continue }
      recent.settle(number, of: &subjects, by: entry)
    }
  }

  mutating func insert(_ key: SubjectKey, _ outcome: EntryOutcome, _ text: [UInt8]) async {
    if recent.isFull(for: text.span) { await spillRecent() }
    recent.insert(key, outcome, text.span)
  }

  private mutating func spillRecent() async {
    hasSpilled = true
    for start in stride(from: 0, to: recent.count, by: Self.spillSize) {
      var answers = AnswerSpill.Answers()
      recent.forEach(in: start..<min(start + Self.spillSize, recent.count)) { entry, text in
        let (key, number) = (entry.key, entry.outcome.number)
        answers.append(key.address, variant: key.variant, number: number, bytes: text)
      }
      await spill.save(answers)
    }
    recent.removeAll()
  }
}

extension EntryOutcome {
  var number: Int64 {
    let source = Int64(source.map { $0.number + 1 } ?? 0)
    let faults = Int64(self.faults.number)
    return Int64(status.rawValue) | (isCached ? 1 << 7 : 0) | source << 8 | faults << 16
      | Int64(finding) << 32
  }

  /// Decodes an outcome; `nil` if the number is invalid.
  init?(number: Int64) {
    guard let status = Status(rawValue: UInt8(number & 0x7f)) else { return nil }
    self.init(status: status)
    isCached = number & 1 << 7 != 0
    faults = SourceFaults(number: UInt16(truncatingIfNeeded: number >> 16))
    finding = UInt32(truncatingIfNeeded: number >> 32)
    let source = number >> 8 & 0xff
    if source > 0 { self.source = Source(number: source - 1) }
  }
}
