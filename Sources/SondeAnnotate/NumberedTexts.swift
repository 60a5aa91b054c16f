import SondeAddresses
import SondeDatabases
import SondeInputs

/// Insertions by the numbers of answers in a compiled database.
///
/// 200,000 random addresses have 14,000 different answers, which fit into a processor's own cache,
/// unlike a text per address.
struct NumberedTexts: Sendable {
  /// The insertion for an answer.
  struct Entry: Sendable {
    let outcome: EntryOutcome
    fileprivate let (start, count): (UInt32, UInt32)
    /// The number of bytes before the address; `nil` if it is not shown.
    fileprivate let place: UInt32?
  }

  /// The approximate size of an entry besides its text.
  private static let entrySize = 64

  /// A random address that stands for any other in encoded answers, so no text can contain it.
  let standIn = Address(
    high: 0x2a00 << 48 | .random(in: 0..<1 << 48),
    low: .random(in: .min ... .max)
  )

  private let room: Int
  private var table: CompiledDatabase?
  private var entries: [UInt32: Entry] = [:]
  private var texts: [UInt8] = []

  /// Creates an empty collection with a limit of memory in bytes.
  init(room: Int) { self.room = room }

  /// Switches to the numbers of a database, and clears the collection if it is full.
  mutating func turn(to table: CompiledDatabase) {
    let size = texts.count + entries.count * Self.entrySize
    guard self.table !== table || size > room else { return }
    self.table = table
    entries.removeAll()
    texts.removeAll()
  }

  @inline(__always)
  subscript(number: UInt32) -> Entry? { entries[number] }

  /// Adds the insertion for an answer, encoded for ``standIn`` or its replacement.
  mutating func insert(
    _ number: UInt32,
    _ outcome: EntryOutcome,
    _ text: Span<UInt8>,
    of replacement: Address? = nil
  ) -> Entry {
    var name: [UInt8] = []
    (replacement ?? standIn).append(to: &name)
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

  /// Appends the insertion for an address.
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
  fileprivate func firstPlace(of text: Span<UInt8>) -> Int? {
    guard count >= text.count else { return nil }
    return (0...count - text.count).first { start in
      text.indices.allSatisfy { self[start + $0] == text[$0] }
    }
  }
}
