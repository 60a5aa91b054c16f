import SondeAddresses
import SondeInputs
import SondeRecords

/// The insertions for recent addresses, ready to be copied.
///
/// The memory is limited: when it is full, the collection is cleared.
struct AnswerTexts: Sendable {
  /// The information about an address.
  struct Entry: Sendable {
    let key: SubjectKey
    let outcome: EntryOutcome
    fileprivate let (start, count): (UInt32, UInt32)

    fileprivate var text: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// The limit of memory in bytes.
  private let room: Int
  /// The size of an entry besides its text, including its slots in the index.
  private static let entrySize = MemoryLayout<Entry>.stride + 4 * MemoryLayout<UInt32>.stride

  private var entries: [Entry] = []
  private var texts: [UInt8] = []
  private var index = AddressIndex()

  init(room: Int) { self.room = room }

  /// Finds the entry number of each subject of a block, ``AddressIndex/vacant`` if there is none.
  ///
  /// The entries do not fit into the caches, so look-ups wait for memory; here their waits overlap.
  func find(_ subjects: Span<SubjectList.Subject>, into numbers: inout [UInt32]) {
    numbers.removeAll(keepingCapacity: true)
    numbers.reserveCapacity(subjects.count)
    for index in subjects.indices {
      let subject = subjects[index]
      var number: UInt32?
      if let key = subject.key, subject.text.isEmpty {
        number = self.index.number(of: key) { entries[Int($0)].key }
      }
      numbers.append(number ?? AddressIndex.vacant)
    }
  }

  @inline(__always)
  func entry(_ number: UInt32) -> Entry? {
    number == AddressIndex.vacant ? nil : entries[Int(number)]
  }

  @inline(__always)
  func entry(of key: SubjectKey) -> Entry? {
    index.number(of: key, { entries[Int($0)].key }).map { entries[Int($0)] }
  }

  @inline(__always)
  func settle(_ number: Int, of subjects: inout SubjectList, by entry: Entry) {
    subjects.settle(number, entry.outcome, texts.span.extracting(entry.text))
  }

  var count: Int { entries.count }

  func forEach(in range: Range<Int>, _ body: (Entry, Span<UInt8>) -> Void) {
    for entry in entries[range] { body(entry, texts.span.extracting(entry.text)) }
  }

  /// Whether another text does not fit.
  func isFull(for text: Span<UInt8>) -> Bool {
    texts.count + text.count + (entries.count + 1) * Self.entrySize > room
  }

  mutating func insert(_ key: SubjectKey, _ outcome: EntryOutcome, _ text: Span<UInt8>) {
    let number = UInt32(entries.count)
    guard index.number(of: key, orAdd: number, { entries[Int($0)].key }) == number else {
      return
    }
    // Allocated at once, since growing buffers are held twice; unused memory costs nothing.
    if entries.isEmpty {
      entries.reserveCapacity(room / Self.entrySize)
      texts.reserveCapacity(room)
    }
    let place = (UInt32(texts.count), UInt32(text.count))
    entries.append(Entry(key: key, outcome: outcome, start: place.0, count: place.1))
    texts.append(copying: text)
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    index.removeAll(keepingCapacity: true)
  }
}
