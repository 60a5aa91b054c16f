import SondeAddresses

/// What the answers of their days contribute to the verdicts about occurrences.
///
/// An address has an answer for each day, so which of its occurrences stays first depends on several
/// answers. Memory is bounded by the number of distinct answers.
struct DatedFindings: Sendable {
  private let filter: Filter
  private let answers: Sightings.DatedAnswers
  private var known: [SubjectKey: UInt32] = [:]
  private var all = NumberedValues<FilterFindings>()

  init(_ filter: Filter, _ answers: @escaping Sightings.DatedAnswers) {
    (self.filter, self.answers) = (filter, answers)
  }

  /// Looks up addresses together, each in the period of its line, so that few databases are opened
  /// again.
  mutating func learn(_ subjects: [SubjectKey]) {
    let open = Set(subjects.filter { known[$0] == nil && $0.address.specialPurpose == nil })
    guard !open.isEmpty else { return }
    let asked = Array(open)
    let block = answers(asked.map(\.address), asked.map(\.period))
    for (subject, record) in zip(asked, block.records) {
      let findings = filter.findings(ofProvided: record, bytes: block.bytes.span)
      known[subject] = all.number(of: findings)
    }
  }

  /// Those of an occurrence; `nil` if nobody is asked about its address.
  mutating func findings(of subject: SubjectKey) -> FilterFindings? {
    if known[subject] == nil { learn([subject]) }
    return known[subject].map { all[$0] }
  }
}

/// Values numbered in order of insertion.
struct NumberedValues<Value: Hashable & Sendable>: Sendable {
  private var all: [Value] = []
  private var numbers: [Value: UInt32] = [:]

  subscript(number: UInt32) -> Value { all[Int(number)] }

  mutating func number(of value: Value) -> UInt32 {
    if let known = numbers[value] { return known }
    let number = UInt32(all.count)
    numbers[value] = number
    all.append(value)
    return number
  }
}
