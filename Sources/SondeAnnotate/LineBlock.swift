public import SondeAddresses
import SondeInputs

/// Whole lines of one input, and what is inserted in them.
///
/// A ``LineSearcher`` fills it in the order of its bytes: ``lineCount``, and for each line that
/// something is inserted in ``beginLine(_:)`` and then its insertions. The other lines are not
/// mentioned: they pass unchanged.
public struct LineBlock: Sendable {
  /// What an insertion is about.
  public enum Subject: Sendable {
    /// An address, with the place of its zone among the bytes if it has one.
    case address(Address, zone: Range<Int>? = nil)
    /// An address with a zone that stands among the words, as it is meant.
    case zoned(Address, Words)
    /// An item that should be an address, by its place among the bytes.
    case invalid(Range<Int>)
    /// Nothing: the words are all there is.
    case nothing
  }

  /// Words of a style's own, to stand before an insertion.
  public struct Words: Sendable {
    var start: UInt32 = 0
    var count: UInt32 = 0

    /// No words.
    public static let none = Words()

    var isEmpty: Bool { count == 0 }
    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// A line that something is inserted in.
  struct Line: Sendable {
    /// Where it stands, its end included.
    let (start, end): (UInt32, UInt32)
    /// The first of its insertions; they end where those of the next line begin.
    let firstInsertion: UInt32
    /// Whether it goes out also where lines without an address are left out.
    var isKept: Bool

    var range: Range<Int> { Int(start)..<Int(end) }
  }

  /// Something to be inserted.
  struct Insertion: Sendable {
    /// The byte that it stands before.
    let offset: UInt32
    /// What it is about, by its number among the subjects.
    let subject: UInt32
    /// What stands before what is known of that.
    let before: Words
  }

  /// The lines, one after the other.
  public internal(set) var bytes: [UInt8] = []

  /// How many lines there are, without the header of a table.
  public var lineCount = 0

  /// How many of them pass unchanged because they are rows of more or fewer cells than the header,
  /// and because they were too long to be searched.
  var (raggedCount, longCount) = (0, 0)

  /// Whether the first of the lines is the header of a table.
  var hasHeader = false

  /// Whether the last of the lines goes on in the next block.
  var endsWithinLine = false

  /// Whether all of it goes out as it came, because it was too long to be searched or is cut off.
  var passes = false

  var lines: [Line] = []
  var insertions: [Insertion] = []
  private(set) var words: [UInt8] = []
  /// What the insertions are about.
  var subjects = SubjectList()

  /// Room for a search of addresses.
  var matches: [LogMatch] = []

  /// Makes a block without lines.
  init() {}

  /// Takes the insertions away, and keeps their rooms.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
    insertions.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    subjects.removeAll()
    (lineCount, passes, hasHeader) = (0, false, false)
    (raggedCount, longCount, endsWithinLine) = (0, 0, false)
  }
}

// MARK: - For searchers

extension LineBlock {
  /// Begins the next line that something is inserted in.
  ///
  /// - Parameter range: Where it stands among the bytes, its end included.
  public mutating func beginLine(_ range: Range<Int>) { beginLine(range, isKept: false) }

  /// Begins the header of a table: it goes out also where lines without an address are left out, and
  /// is not counted.
  ///
  /// - Parameter range: Where it stands among the bytes, its end included; nothing comes before it.
  public mutating func beginHeader(_ range: Range<Int>) {
    hasHeader = true
    beginLine(range, isKept: true)
  }

  private mutating func beginLine(_ range: Range<Int>, isKept: Bool) {
    lines.append(
      Line(
        start: UInt32(range.lowerBound),
        end: UInt32(range.upperBound),
        firstInsertion: UInt32(insertions.count),
        isKept: isKept
      )
    )
  }

  /// Adds an insertion to the line that was begun last; they come in the order of their places.
  ///
  /// - Parameters:
  ///   - offset: The byte that it stands before; the line's end is the last.
  ///   - subject: What it is about.
  ///   - before: What stands before what is known.
  public mutating func insert(
    at offset: Int,
    _ subject: Subject,
    before: Words = .none
  ) {
    var number = SubjectList.nothing
    switch subject {
    case .nothing: break
    case .invalid(let item):
      number = subjects.append(SubjectList.Subject(address: nil, text: keep(bytesOf: item)))
    case .address(let address, let zone):
      number = subjects.number(of: address, zone: zone.map { keep(bytesOf: $0) } ?? .none)
      lines[lines.count - 1].isKept = true
    case .zoned(let address, let zone):
      number = subjects.number(of: address, zone: zone)
      lines[lines.count - 1].isKept = true
    }
    insertions.append(Insertion(offset: UInt32(offset), subject: number, before: before))
  }

  /// Makes room for the insertions of a long line, all of it at once: rooms that grow are held twice.
  mutating func reserve(_ count: Int) {
    guard count > BlockSlices.limit else { return }
    insertions.reserveCapacity(insertions.count + count)
    subjects.reserve(count)
  }

  /// Makes of what a style writes about a record what the lines of one block need.
  public typealias Rewrite = @Sendable (_ text: Span<UInt8>, _ output: inout [UInt8]) -> Void

  /// Has what is inserted in this block rewritten, which other blocks may need otherwise.
  public mutating func rewrite(_ rewrite: @escaping Rewrite) { subjects.rewrite = rewrite }

  /// Keeps words for insertions; several may have the same.
  public mutating func keep(_ text: Span<UInt8>) -> Words {
    defer { words.append(copying: text) }
    return Words(start: UInt32(words.count), count: UInt32(text.count))
  }

  private mutating func keep(bytesOf range: Range<Int>) -> Words {
    let bytes = bytes
    return keep(bytes.span.extracting(range))
  }
}

// MARK: - For those who wait for answers

extension LineBlock {
  /// Takes the lines out, with no more room than they need and without what only a search needs; many
  /// are not copied, and no rooms are used again.
  mutating func take() -> LineBlock {
    guard size > Self.longSize else { return compacted() }
    defer { self = LineBlock() }
    matches = []
    subjects.finish()
    return self
  }

  private func compacted() -> LineBlock {
    var block = LineBlock()
    block.bytes = Array(bytes[...])
    (block.lines, block.insertions) = (Array(lines[...]), Array(insertions[...]))
    block.words = Array(words[...])
    block.subjects = subjects.compacted()
    (block.lineCount, block.passes, block.hasHeader) = (lineCount, passes, hasHeader)
    (block.raggedCount, block.longCount) = (raggedCount, longCount)
    block.endsWithinLine = endsWithinLine
    return block
  }

  /// The occurrences of addresses, and of items that are none.
  var entryCount: Int { insertions.count { $0.subject != SubjectList.nothing } }

  /// The bytes that it takes in memory.
  var size: Int {
    bytes.count + lines.count * MemoryLayout<Line>.stride
      + insertions.count * MemoryLayout<Insertion>.stride + words.count + subjects.size
  }
}
