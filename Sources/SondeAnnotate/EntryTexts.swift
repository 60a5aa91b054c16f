import SondeAddresses
import SondeAsking
import SondeDatabases
import SondeInputs
import SondePrivacy
import SondeRecords

/// Creates insertions that need no request, on the search threads.
struct EntryTexts: Sendable {
  /// The number of addresses per look-up in databases.
  private static let localBatch = 8192

  private let style: any AnnotationStyle
  private let chain: ProviderChain
  let rules: LineRules
  private let anonymizer: Anonymizer?

  /// Creates insertions by a style, whose encoders replace addresses by the same `anonymizer`.
  init(
    _ style: any AnnotationStyle,
    _ chain: ProviderChain,
    _ rules: LineRules,
    _ anonymizer: Anonymizer? = nil
  ) {
    (self.style, self.chain, self.rules, self.anonymizer) = (style, chain, rules, anonymizer)
  }

  /// Settles the known subjects of a slice: special-purpose addresses, invalid items and, with only
  /// local databases, all others.
  ///
  /// Before that, drops the lines that are excluded whatever the answers.
  func settle(_ slice: inout LineSlice) {
    slice.choose(by: rules) { chain.isAsked(about: $0) }
    guard slice.block.subjects.openCount > 0 else { return }
    let judgesAlike = rules.filter?.judgesAnswersAlike ?? true
    if chain.isImmediate, style.writesAnswersAlike, judgesAlike { settleByNumbers(&slice) }
    guard slice.block.subjects.openCount > 0 else { return }
    let subjects = slice.block.subjects.all
    slice.answers.find(subjects.span, into: &slice.numbers)
    var (text, open, unknown): ([UInt8], [Int], [Int]) = ([], [], [])
    for (number, place) in slice.numbers.enumerated()
    where slice.block.subjects.insertion(of: number) == nil {
      if let known = slice.answers.entry(place) {
        slice.answers.settle(number, of: &slice.block.subjects, by: known)
      } else {
        unknown.append(number)
      }
    }
    // Only now, since new entries may replace those found.
    for number in unknown {
      let subject = slice.block.subjects.all[number]
      if let address = subject.address, subject.text.isEmpty, chain.isAsked(about: address) {
        open.append(number)
        continue
      }
      let block = subject.entry(in: slice.block.words.span, refangs: rules.refangs)
      encode(block, 0, to: &text)
      slice.settle(number, outcome(of: block, 0), text.span)
    }
    if chain.isImmediate { settle(open, of: &slice, &text) }
  }

  /// Settles addresses by the numbers of answers, if a compiled database is the only provider.
  private func settleByNumbers(_ slice: inout LineSlice) {
    var (open, addresses): ([Int], [Address]) = ([], [])
    for (number, subject) in slice.block.subjects.all.enumerated() {
      guard let address = subject.address, subject.text.isEmpty, chain.isAsked(about: address),
        slice.block.subjects.insertion(of: number) == nil
      else { continue }
      open.append(number)
      addresses.append(address)
    }
    guard let answers = chain.localAnswerNumbers(of: addresses) else { return }
    // Moved out of the slice, whose block changes.
    var numbered = slice.numbered
    slice.numbered = NumberedTexts(room: 0)
    defer { slice.numbered = numbered }
    numbered.turn(to: answers.table)
    var shown = addresses
    anonymizer?.replace(&shown)
    for (index, answer) in answers.numbers.enumerated() {
      guard let entry = numbered[answer] ?? learn(answer, of: addresses[index], &numbered) else {
        continue
      }
      slice.block.subjects.settle(open[index], entry.outcome) {
        numbered.append(entry, of: shown[index], to: &$0)
      }
    }
  }

  /// Encodes the answer about an address; `nil` if the database is damaged.
  private func learn(
    _ answer: UInt32,
    of address: Address,
    _ numbered: inout NumberedTexts
  ) -> NumberedTexts.Entry? {
    guard var answers = chain.localAnswers(to: [address]), answers.records[0].status != .failed
    else { return nil }
    answers.records[0].address = numbered.standIn
    var text: [UInt8] = []
    encode(answers, 0, to: &text)
    let standIn = anonymizer?(numbered.standIn) ?? numbered.standIn
    return numbered.insert(answer, outcome(of: answers, 0), text.span, of: standIn)
  }

  /// Settles addresses from local databases, if there are no other providers.
  private func settle(_ open: [Int], of slice: inout LineSlice, _ text: inout [UInt8]) {
    for start in stride(from: 0, to: open.count, by: Self.localBatch) {
      let numbers = open[start..<min(start + Self.localBatch, open.count)]
      let addresses = numbers.compactMap { slice.block.subjects.all[$0].address }
      let periods = chain.isDated ? numbers.map { slice.block.subjects.all[$0].period } : []
      guard let answers = chain.localAnswers(to: addresses, in: periods) else { return }
      for (index, number) in numbers.enumerated() {
        encode(answers, index, to: &text)
        slice.settle(number, outcome(of: answers, index), text.span)
      }
    }
  }

  var absent: [UInt8] { style.absent }

  /// The outcome of a record, with what it contributes to verdicts of the filter.
  func outcome(of block: RecordBlock, _ index: Int) -> EntryOutcome {
    var outcome = EntryOutcome(block.records[index])
    if let filter = rules.filter {
      outcome.finding = filter.finding(of: block.records[index], bytes: block.bytes.span)
    }
    return outcome
  }

  /// Encodes the insertion for a record, replacing the content of `text`.
  func encode(_ block: RecordBlock, _ index: Int, to text: inout [UInt8]) {
    text.removeAll(keepingCapacity: true)
    style.append(block.records[index], bytes: block.bytes.span, to: &text)
  }
}

extension LineSlice {
  /// Settles a subject, and remembers it unless it has a zone.
  fileprivate mutating func settle(_ number: Int, _ outcome: EntryOutcome, _ text: Span<UInt8>) {
    block.subjects.settle(number, outcome, text)
    let subject = block.subjects.all[number]
    guard let key = subject.key, subject.text.isEmpty else { return }
    if answers.isFull(for: text) { answers.removeAll() }
    answers.insert(key, outcome, text)
  }
}

extension SubjectList.Subject {
  /// Why an item is not an address.
  private static func reason(_ item: Span<UInt8>, refangs: Bool) -> String {
    guard case .invalid(let fault) = ListItem.parse(operand: item, refangs: refangs) else {
      return "column 1: is more than one address"
    }
    return fault.message
  }

  /// The entry as a record without line and input: reserved or invalid.
  fileprivate func entry(in words: Span<UInt8>, refangs: Bool) -> RecordBlock {
    var entries = EntryBlock()
    let item = words.extracting(text.range)
    if let address {
      entries.append(address, zone: text.isEmpty ? nil : item, at: Place())
    } else {
      var record = Record(address: nil, status: .invalid)
      record[.item] = entries.block.append(text: item.repaired(maximum: 256))
      record[.message] = entries.block.append(text: Self.reason(item, refangs: refangs))
      entries.block.records.append(record)
    }
    return entries.block
  }
}
