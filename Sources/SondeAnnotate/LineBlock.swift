public import SondeAddresses
import SondeInputs
import SondeRecords

/// Whole lines of one input with their insertions.
///
/// A ``LineSearcher`` fills it in the order of its bytes: it sets ``lineCount``, and calls
/// ``beginLine(_:)`` for each line with insertions, followed by these. All other lines are copied
/// unchanged.
public struct LineBlock: Sendable {
  /// The subject of an insertion.
  public enum Subject: Sendable {
    /// An address, with the range of its zone in the bytes if it has one.
    case address(Address, zone: Range<Int>? = nil)
    /// An address with a decoded zone among the words.
    case zoned(Address, Words)
    /// An invalid item, by its range in the bytes.
    case invalid(Range<Int>)
    /// None: only the words are inserted.
    case nothing
  }

  /// Words of a style, to precede an insertion.
  public struct Words: Sendable {
    var start: UInt32 = 0
    var count: UInt32 = 0

    /// No words.
    public static let none = Words()

    /// Marks an occurrence that is counted, and for which nothing is inserted.
    public static let mute = Words(start: .max)

    var isMute: Bool { start == .max }
    var isEmpty: Bool { count == 0 }
    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// A line with insertions.
  struct Line: Sendable {
    /// Its range, including its end.
    var (start, end): (UInt32, UInt32)
    /// Its first insertion; the last one precedes the first of the next line.
    var firstInsertion: UInt32
    /// Whether it is written even if lines without an address are dropped.
    var selection: Selection
    /// The number of its place's findings for the filter, if its answers decide.
    var place: UInt32 = 0

    var range: Range<Int> { Int(start)..<Int(end) }
  }

  struct Insertion: Sendable {
    /// The offset at which it is inserted.
    var offset: UInt32
    /// The number of its subject.
    var subject: UInt32
    /// The words that precede the information.
    let before: Words
  }

  /// The lines in sequence.
  public internal(set) var bytes: [UInt8] = []

  /// The number of lines, without the header of a table.
  public var lineCount = 0

  /// The numbers of lines copied unchanged because they are rows with another number of cells than
  /// the header, and because they were too long.
  var (raggedCount, longCount) = (0, 0)

  /// Whether the first of the lines is the header of a table.
  var hasHeader = false

  /// Whether it is written at the beginning of a line, even if an earlier input ends within one.
  var beginsLine = false

  /// The lines that were dropped before any answer, and the entries in them.
  var excluded = (lines: 0, entries: 0)

  /// What the places of lines contribute to verdicts of the filter.
  var places: [FilterFindings] = []

  /// What the filter needs of each line; empty if it needs nothing.
  var sightings: [Sighting] = []

  /// Whether the last line continues in the next block.
  var endsWithinLine = false

  /// Whether all of it is copied unchanged, because it was too long to be searched or is truncated.
  var passes = false

  var lines: [Line] = []
  var insertions: [Insertion] = []
  private(set) var words: [UInt8] = []
  var subjects = SubjectList()

  /// Finds the periods of lines while they are searched; `nil` if answers depend on no time.
  var dating: LineDating?
  /// The period of the current line.
  private var period = BuildPeriod.undated

  /// A buffer for the search.
  var matches: [LogMatch] = []
  /// Whether defanged marks counted in the search that left all its matches there; `nil` if
  /// `matches` are not all that log mode finds in the bytes.
  var refangsMatches: Bool?
  /// A buffer for bytes in which addresses are replaced.
  var spare: [UInt8] = []

  /// A place that the style finds, where log mode may find no address.
  struct Mention: Sendable {
    enum Replacement: Sendable {
      /// Of this address.
      case address(Address)
      /// By a text in which addresses are replaced already.
      case text([UInt8])
    }

    let place: Range<Int>
    let replacement: Replacement
  }

  /// Places in which addresses are replaced, besides those that log mode finds, in order.
  var mentions: [Mention] = []

  init() {}

  /// Removes the insertions, and keeps the buffers.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
    insertions.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    subjects.removeAll()
    (lineCount, passes, hasHeader) = (0, false, false)
    (raggedCount, longCount, endsWithinLine) = (0, 0, false)
    (beginsLine, excluded) = (false, (0, 0))
    (dating, period) = (nil, .undated)
    refangsMatches = nil
    places.removeAll()
    sightings.removeAll(keepingCapacity: true)
    mentions.removeAll(keepingCapacity: true)
  }
}

// MARK: - For searchers

extension LineBlock {
  /// Starts the next line with insertions, by its range in the bytes, including its end.
  public mutating func beginLine(_ range: Range<Int>) { beginLine(range, .unmatched) }

  /// Starts the header of a table, which is always written and not counted; nothing precedes it.
  public mutating func beginHeader(_ range: Range<Int>) {
    (hasHeader, beginsLine) = (true, true)
    beginLine(range, .kept)
  }

  private mutating func beginLine(_ range: Range<Int>, _ selection: Selection) {
    if dating != nil { period = dating?.period(ofLineIn: bytes, at: range.lowerBound) ?? period }
    lines.append(
      Line(
        start: UInt32(range.lowerBound),
        end: UInt32(range.upperBound),
        firstInsertion: UInt32(insertions.count),
        selection: selection
      )
    )
  }

  /// Adds an insertion to the current line, in order of offsets up to the line's end.
  ///
  /// `before` are the words that precede the information.
  public mutating func insert(at offset: Int, _ subject: Subject, before: Words = .none) {
    insert(at: offset, add(subject), before: before)
  }

  /// Adds an insertion for a subject of the block, by its number.
  mutating func insert(at offset: Int, _ number: UInt32, before: Words) {
    if number != SubjectList.nothing, subjects.all[Int(number)].address != nil {
      lines[lines.count - 1].selection = .kept
    }
    insertions.append(Insertion(offset: UInt32(offset), subject: number, before: before))
  }

  /// Adds a subject unless it is known; returns its number.
  mutating func add(_ subject: Subject) -> UInt32 {
    switch subject {
    case .nothing: SubjectList.nothing
    case .invalid(let item):
      subjects.append(SubjectList.Subject(address: nil, text: keep(bytesOf: item)))
    case .address(let address, let zone):
      subjects.number(of: address, zone: zone.map { keep(bytesOf: $0) } ?? .none, in: period)
    case .zoned(let address, let zone): subjects.number(of: address, zone: zone)
    }
  }

  /// Reserves exact memory for a long line's insertions, since growing buffers are held twice.
  mutating func reserve(_ count: Int) {
    guard count > BlockSlices.limit else { return }
    insertions.reserveCapacity(insertions.count + count)
    subjects.reserve(count)
  }

  /// Converts an insertion to the encoding of one block.
  public typealias Rewrite = @Sendable (_ text: Span<UInt8>, _ output: inout [UInt8]) -> Void

  /// Sets the conversion of insertions in this block.
  public mutating func rewrite(_ rewrite: @escaping Rewrite) { subjects.rewrite = rewrite }

  /// Stores words for one or several insertions.
  public mutating func keep(_ text: Span<UInt8>) -> Words {
    defer { words.append(copying: text) }
    return Words(start: UInt32(words.count), count: UInt32(text.count))
  }

  private mutating func keep(bytesOf range: Range<Int>) -> Words {
    let bytes = bytes
    return keep(bytes.span.extracting(range))
  }
}

// MARK: - Waiting for answers

extension LineBlock {
  /// Takes the lines with minimal memory, without search buffers; large ones are moved, not copied.
  mutating func take() -> LineBlock {
    guard size > Self.longSize else { return compacted() }
    defer { self = LineBlock() }
    (matches, refangsMatches, spare, dating) = ([], nil, [], nil)
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
    (block.beginsLine, block.excluded, block.places) = (beginsLine, excluded, places)
    return block
  }

  /// The number of addresses and invalid items, with repetitions.
  var entryCount: Int { countEntries(in: insertions.indices) + excluded.entries }

  /// The size in memory in bytes.
  var size: Int {
    bytes.count + lines.count * MemoryLayout<Line>.stride
      + insertions.count * MemoryLayout<Insertion>.stride + words.count + subjects.size
  }
}
