import SondeAddresses
import SondeInputs

/// What is inserted about addresses that were met lately, ready to be copied.
///
/// Bounded: where there is no more room it begins anew.
struct AnswerTexts: Sendable {
  /// What is known of an address.
  struct Entry: Sendable {
    let address: Address
    let outcome: EntryOutcome
    fileprivate let (start, count): (UInt32, UInt32)

    fileprivate var text: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// The bytes that all of it may take.
  private let room: Int
  /// What an entry takes besides its text, its slots in the index included.
  private static let entrySize = MemoryLayout<Entry>.stride + 4 * MemoryLayout<UInt32>.stride

  private var entries: [Entry] = []
  private var texts: [UInt8] = []
  private var index = AddressIndex()

  /// Makes one that knows nothing.
  ///
  /// - Parameter room: The bytes that it may take.
  init(room: Int) { self.room = room }

  /// Looks the subjects of a block up; for each its entry's number, ``AddressIndex/vacant`` for none.
  ///
  /// The entries outgrow every cache, so that an address costs waits for memory; here those of many
  /// addresses pass at the same time.
  func find(_ subjects: Span<SubjectList.Subject>, into numbers: inout [UInt32]) {
    numbers.removeAll(keepingCapacity: true)
    numbers.reserveCapacity(subjects.count)
    for index in subjects.indices {
      let subject = subjects[index]
      var number: UInt32?
      if let address = subject.address, subject.text.isEmpty {
        number = self.index.number(of: address) { entries[Int($0)].address }
      }
      numbers.append(number ?? AddressIndex.vacant)
    }
  }

  /// The entry of a number.
  @inline(__always)
  func entry(_ number: UInt32) -> Entry? {
    number == AddressIndex.vacant ? nil : entries[Int(number)]
  }

  /// What is known of an address, if anything is.
  @inline(__always)
  func entry(of address: Address) -> Entry? {
    index.number(of: address, { entries[Int($0)].address }).map { entries[Int($0)] }
  }

  /// Settles a subject by what is known of its address.
  @inline(__always)
  func settle(_ number: Int, of subjects: inout SubjectList, by entry: Entry) {
    subjects.settle(number, entry.outcome, texts.span.extracting(entry.text))
  }

  /// How many addresses are known.
  var count: Int { entries.count }

  /// Some of what is kept.
  func forEach(in range: Range<Int>, _ body: (Entry, Span<UInt8>) -> Void) {
    for entry in entries[range] { body(entry, texts.span.extracting(entry.text)) }
  }

  /// Whether there is no room for another text.
  func isFull(for text: Span<UInt8>) -> Bool {
    texts.count + text.count + (entries.count + 1) * Self.entrySize > room
  }

  /// Keeps what is known of an address that was not.
  mutating func insert(_ address: Address, _ outcome: EntryOutcome, _ text: Span<UInt8>) {
    let number = UInt32(entries.count)
    guard index.number(of: address, orAdd: number, { entries[Int($0)].address }) == number else {
      return
    }
    // All of it at once, for rooms that grow are held twice; what is not used costs nothing.
    if entries.isEmpty {
      entries.reserveCapacity(room / Self.entrySize)
      texts.reserveCapacity(room)
    }
    let place = (UInt32(texts.count), UInt32(text.count))
    entries.append(Entry(address: address, outcome: outcome, start: place.0, count: place.1))
    texts.append(copying: text)
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    index.removeAll(keepingCapacity: true)
  }
}
