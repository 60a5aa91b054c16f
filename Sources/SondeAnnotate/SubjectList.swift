import SondeAddresses
import SondeInputs
import SondeRecords

/// The subjects of a block's insertions, each address once, with their information.
struct SubjectList: Sendable {
  /// An address or an invalid item.
  struct Subject: Sendable {
    /// `nil` for an invalid item.
    let address: Address?
    /// What the lines of the address claim, if that matters.
    var claims: CrawlerClaims = []
    /// The zone of the address, or the item, among the words of the block.
    let text: LineBlock.Words
    /// The period of the answer.
    var period = BuildPeriod.undated

    /// What its answer is about; `nil` for an invalid item.
    var key: SubjectKey? {
      address.map { SubjectKey($0, claiming: claims, in: period) }
    }
  }

  /// The information about a subject.
  private struct Standing: Sendable {
    /// The insertion, as a range in ``SubjectList/texts``; `nil` until known.
    var insertion: Range<Int>?
    /// The outcome of the entry, once known.
    var outcome = EntryOutcome(status: .invalid)
    /// Whether nobody needs it, so that it has no answer.
    var isSkipped = false
    /// The next position that waits for the same address.
    var next: WaitingPlace?
  }

  /// The number of an insertion without a subject.
  static let nothing = UInt32.max

  private(set) var all: [Subject] = []
  /// The information about the subjects, in order; empty without any, as in a long line in slices.
  private var standings: [Standing] = []
  /// The texts of insertions.
  private(set) var texts: [UInt8] = []
  /// The number of unknown subjects.
  private(set) var openCount = 0
  private var index = AddressIndex()
  /// A buffer for conversions.
  private var written: [UInt8] = []
  /// Converts the insertion to the block's encoding; nil if they are equal.
  var rewrite: LineBlock.Rewrite?

  /// The number of an address with an answer of a period, which is added if it is new.
  ///
  /// One with a zone is always added, since these are rare and no provider is asked about them.
  mutating func number(
    of address: Address,
    zone: LineBlock.Words,
    in period: BuildPeriod = .undated
  ) -> UInt32 {
    let number = UInt32(all.count)
    guard zone.isEmpty else { return append(Subject(address: address, text: zone)) }
    let found = index.number(of: SubjectKey(address, in: period), orAdd: number) {
      all[Int($0)].key
    }
    guard found == number else { return found }
    return append(Subject(address: address, text: .none, period: period))
  }

  /// Adds an unknown subject; returns its number.
  mutating func append(_ subject: Subject) -> UInt32 {
    all.append(subject)
    openCount += 1
    return UInt32(all.count - 1)
  }

  /// Sets the insertion for a subject, once.
  mutating func settle(_ number: Int, _ outcome: EntryOutcome, _ text: Span<UInt8>) {
    settle(number, outcome) { $0.append(copying: text) }
  }

  /// Sets the insertion for a subject, once.
  @inline(__always)
  mutating func settle(_ number: Int, _ outcome: EntryOutcome, by append: (inout [UInt8]) -> Void) {
    addStandings()
    guard standings[number].insertion == nil else { return }
    let start = texts.count
    if let rewrite {
      written.removeAll(keepingCapacity: true)
      append(&written)
      // Access to a property lasts as long as a span of it.
      let written = written
      rewrite(written.span, &texts)
    } else {
      append(&texts)
    }
    standings[number].insertion = start..<texts.count
    standings[number].outcome = outcome
    openCount -= 1
  }

  private mutating func addStandings() {
    let missing = all.count - standings.count
    if missing > 0 { standings.append(contentsOf: repeatElement(Standing(), count: missing)) }
  }

  /// The insertion for a subject, as a range in ``texts``; `nil` until known.
  func insertion(of number: Int) -> Range<Int>? {
    number < standings.count ? standings[number].insertion : nil
  }

  func outcome(of number: Int) -> EntryOutcome { standings[number].outcome }

  /// The next position that waits for the address of a subject.
  func next(of number: Int) -> WaitingPlace? {
    number < standings.count ? standings[number].next : nil
  }

  /// The unknown subjects with their numbers.
  var open: some Sequence<(number: Int, key: SubjectKey)> {
    (openCount > 0 ? all.indices : 0..<0).lazy.filter { insertion(of: $0) == nil }.compactMap {
      number in
      all[number].key.map { (number, $0) }
    }
  }

  /// Sets that a subject needs no answer.
  mutating func skip(_ number: Int) {
    settle(number, EntryOutcome(status: .unknown)) { _ in }
    standings[number].isSkipped = true
  }

  func isSkipped(_ number: Int) -> Bool {
    number < standings.count && standings[number].isSkipped
  }

  /// Sets the insertion for all unknown subjects.
  mutating func settleOpen(_ text: Span<UInt8>) {
    for number in all.indices { settle(number, EntryOutcome(status: .failed), text) }
  }

  /// Removes all subjects, and keeps the buffers.
  mutating func removeAll() {
    all.removeAll(keepingCapacity: true)
    standings.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    (openCount, rewrite) = (0, nil)
    index.removeAll()
  }

  /// Reserves exactly the memory for more subjects.
  mutating func reserve(_ count: Int) { all.reserveCapacity(all.count + count) }

  /// Frees what only ``number(of:zone:)`` needs, after the last subject.
  mutating func finish() { index = AddressIndex() }

  /// Sets the next position that waits for the address of a subject.
  mutating func link(_ number: Int, to next: WaitingPlace) {
    addStandings()
    standings[number].next = next
  }

  /// A copy with minimal memory, for reading only.
  func compacted() -> SubjectList {
    var list = SubjectList()
    (list.all, list.standings) = (Array(all[...]), Array(standings[...]))
    (list.texts, list.openCount, list.rewrite) = (Array(texts[...]), openCount, rewrite)
    return list
  }

  /// The size in memory in bytes, including information.
  var size: Int {
    all.count * (MemoryLayout<Subject>.stride + MemoryLayout<Standing>.stride) + texts.count
  }
}

/// A position in the window that waits for an address.
struct WaitingPlace: Sendable {
  /// The number of the block, which wraps around.
  let block: UInt32
  let subject: UInt32
}

/// The outcome of an entry, for counting.
struct EntryOutcome: Sendable, Equatable {
  var status: Status
  var source: Source?
  var isCached = false
  /// The sources without an answer.
  var faults = SourceFaults()
  /// The number of the filter's findings about the answer.
  var finding: UInt32 = 0

  init(_ record: Record) {
    (status, source, isCached) = (record.status, record.source, record.isCached)
    faults = record.faults
  }

  init(status: Status) { self.status = status }

  /// A record with the same counts.
  var record: Record {
    var record = Record(address: nil, status: status)
    (record.source, record.isCached, record.faults) = (source, isCached, faults)
    return record
  }
}
