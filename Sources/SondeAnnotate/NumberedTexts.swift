import SondeAddresses
import SondeDatabases
import SondeInputs

/// What is inserted about addresses, by the numbers of their answers in a compiled database.
///
/// Of 200,000 addresses picked at random one has 14,000 different things to say, so that these stay in a
/// processor's own cache, where texts for each address would not.
struct NumberedTexts: Sendable {
  /// What is inserted where an answer is found.
  struct Entry: Sendable {
    let outcome: EntryOutcome
    fileprivate let (start, count): (UInt32, UInt32)
    /// How many of the bytes stand before the address; `nil` where it is not shown.
    fileprivate let place: UInt32?
  }

  /// What an entry takes besides its text, about.
  private static let entrySize = 64

  /// An address that stands for any other one while an answer is encoded: it is picked at random, so
  /// that nobody can have written it into a text.
  let standIn = Address(
    high: 0x2a00 << 48 | .random(in: 0..<1 << 48),
    low: .random(in: .min ... .max)
  )

  private let room: Int
  private var table: CompiledTable?
  private var entries: [UInt32: Entry] = [:]
  private var texts: [UInt8] = []

  /// Makes one that knows nothing.
  ///
  /// - Parameter room: The bytes that it may take.
  init(room: Int) { self.room = room }

  /// Turns to the numbers of a database, and makes room for more where there is none.
  mutating func turn(to table: CompiledTable) {
    let size = texts.count + entries.count * Self.entrySize
    guard self.table !== table || size > room else { return }
    self.table = table
    entries.removeAll()
    texts.removeAll()
  }

  /// What is inserted where an answer is found; `nil` where that is not known.
  @inline(__always)
  subscript(number: UInt32) -> Entry? { entries[number] }

  /// Keeps what is inserted where an answer is found.
  ///
  /// - Parameters:
  ///   - number: The number of the answer.
  ///   - outcome: How the entry ends.
  ///   - text: What is inserted about ``standIn``.
  /// - Returns: The same.
  mutating func insert(
    _ number: UInt32,
    _ outcome: EntryOutcome,
    _ text: Span<UInt8>
  ) -> Entry {
    var name: [UInt8] = []
    standIn.append(to: &name)
    let (start, place) = (texts.count, text.firstPlace(of: name.span))
    texts.append(copying: text.extracting(..<(place ?? text.count)))
    if let place { texts.append(copying: text.extracting((place + name.count)...)) }
    let entry = Entry(
      outcome: outcome,
      start: UInt32(start),
      count: UInt32(texts.count - start),
      place: place.map { UInt32($0) }
    )
    entries[number] = entry
    return entry
  }

  /// Appends what is inserted about an address.
  @inline(__always)
  func append(_ entry: Entry, of address: Address, to output: inout [UInt8]) {
    let (start, end) = (Int(entry.start), Int(entry.start) + Int(entry.count))
    let text = texts.span
    guard let place = entry.place else {
      return output.append(copying: text.extracting(start..<end))
    }
    output.append(copying: text.extracting(start..<start + Int(place)))
    address.append(to: &output)
    output.append(copying: text.extracting(start + Int(place)..<end))
  }
}

extension Span<UInt8> {
  /// The first place of a text.
  fileprivate func firstPlace(of text: Span<UInt8>) -> Int? {
    guard count >= text.count else { return nil }
    return (0...count - text.count).first { start in
      text.indices.allSatisfy { self[start + $0] == text[$0] }
    }
  }
}
