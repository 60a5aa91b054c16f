import SondeAddresses
import SondeInputs
import SondeRecords

/// What the insertions of a block are about, each address once, and what is known of it.
struct SubjectList: Sendable {
  /// An address, or an item that is none.
  struct Subject: Sendable {
    /// `nil` for an item that is no address.
    let address: Address?
    /// The zone of the address, or the item, among the words of the block.
    let text: LineBlock.Words
  }

  /// What is known of a subject.
  private struct Standing: Sendable {
    /// What is inserted, by its place among ``SubjectList/texts``; `nil` until it is known.
    var insertion: Range<Int>?
    /// How the entry ended, once that is known.
    var outcome = EntryOutcome(status: .invalid)
    /// The next place where the same address is waited for.
    var next: WaitingPlace?
  }

  /// The number of an insertion that is about nothing.
  static let nothing = UInt32.max

  private(set) var all: [Subject] = []
  /// What is known of them, in their order; none where nothing is, as in a long line that is settled
  /// slice by slice.
  private var standings: [Standing] = []
  /// What is inserted about them.
  private(set) var texts: [UInt8] = []
  /// How many are not known yet.
  private(set) var openCount = 0
  private var index = AddressIndex()
  /// Room for what is rewritten.
  private var written: [UInt8] = []
  /// Makes of what is inserted what this block needs; `nil` where it is the same.
  var rewrite: LineBlock.Rewrite?

  /// The number of an address, which is added where it is new.
  ///
  /// One with a zone is always added: they are few, and no provider is asked about them.
  mutating func number(of address: Address, zone: LineBlock.Words) -> UInt32 {
    let number = UInt32(all.count)
    guard zone.isEmpty else { return append(Subject(address: address, text: zone)) }
    let found = index.number(of: address, orAdd: number) { all[Int($0)].address }
    return found == number ? append(Subject(address: address, text: .none)) : found
  }

  /// Adds a subject of which nothing is known.
  ///
  /// - Returns: Its number.
  mutating func append(_ subject: Subject) -> UInt32 {
    all.append(subject)
    openCount += 1
    return UInt32(all.count - 1)
  }

  /// Takes note of what is inserted about a subject, once.
  mutating func settle(_ number: Int, _ outcome: EntryOutcome, _ text: Span<UInt8>) {
    settle(number, outcome) { $0.append(copying: text) }
  }

  /// Takes note of what is inserted about a subject, once.
  ///
  /// - Parameters:
  ///   - number: The number of the subject.
  ///   - outcome: How its entry ended.
  ///   - append: Appends what is inserted.
  @inline(__always)
  mutating func settle(
    _ number: Int,
    _ outcome: EntryOutcome,
    by append: (inout [UInt8]) -> Void
  ) {
    addStandings()
    guard standings[number].insertion == nil else { return }
    let start = texts.count
    if let rewrite {
      written.removeAll(keepingCapacity: true)
      append(&written)
      // The access to a property lasts as long as a span of it.
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

  /// What is inserted about a subject, by its place among ``texts``; `nil` until it is known.
  func insertion(of number: Int) -> Range<Int>? {
    number < standings.count ? standings[number].insertion : nil
  }

  /// How the entry of a subject ended that is known.
  func outcome(of number: Int) -> EntryOutcome { standings[number].outcome }

  /// The next place where the address of a subject is waited for.
  func next(of number: Int) -> WaitingPlace? {
    number < standings.count ? standings[number].next : nil
  }

  /// The addresses of which nothing is known, with their numbers.
  var open: some Sequence<(number: Int, address: Address)> {
    (openCount > 0 ? all.indices : 0..<0).lazy.filter { insertion(of: $0) == nil }.compactMap {
      number in
      all[number].address.map { (number, $0) }
    }
  }

  /// Has a text stand for all that is not known.
  mutating func settleOpen(_ text: Span<UInt8>) {
    for number in all.indices { settle(number, EntryOutcome(status: .failed), text) }
  }

  /// Takes all subjects away, and keeps their rooms.
  mutating func removeAll() {
    all.removeAll(keepingCapacity: true)
    standings.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    (openCount, rewrite) = (0, nil)
    index.removeAll()
  }

  /// Makes room for so many more, and not twice as much.
  mutating func reserve(_ count: Int) { all.reserveCapacity(all.count + count) }

  /// Gives up what only ``number(of:zone:)`` needs: nothing is added any more.
  mutating func finish() { index = AddressIndex() }

  /// Has a subject know the next place where its address is waited for.
  mutating func link(_ number: Int, to next: WaitingPlace) {
    addStandings()
    standings[number].next = next
  }

  /// The list with no more room than it needs, to which nothing is added any more.
  func compacted() -> SubjectList {
    var list = SubjectList()
    (list.all, list.standings) = (Array(all[...]), Array(standings[...]))
    (list.texts, list.openCount, list.rewrite) = (Array(texts[...]), openCount, rewrite)
    return list
  }

  /// The bytes that it takes in memory, with what is known of the subjects.
  var size: Int {
    all.count * (MemoryLayout<Subject>.stride + MemoryLayout<Standing>.stride) + texts.count
  }
}

/// A place in the window where an address is waited for.
struct WaitingPlace: Sendable {
  /// The block, counted round and round.
  let block: UInt32
  let subject: UInt32
}

/// How an entry ended, for the books.
struct EntryOutcome: Sendable, Equatable {
  var status: Status
  var source: Source?
  var isCached = false
  /// Which sources have no answer.
  var faults = SourceFaults()

  /// What a record says.
  init(_ record: Record) {
    (status, source, isCached) = (record.status, record.source, record.isCached)
    faults = record.faults
  }

  /// How an entry ended that nobody was asked about.
  init(status: Status) { self.status = status }

  /// A record that counts the same.
  var record: Record {
    var record = Record(address: nil, status: status)
    (record.source, record.isCached, record.faults) = (source, isCached, faults)
    return record
  }
}
