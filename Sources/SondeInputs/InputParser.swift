public import SondeDatabases
public import SondeRecords

/// The arrangement of addresses in an input.
public enum InputMode: Sendable {
  /// One item per line.
  case list
  /// Anywhere in the text.
  case log
}

/// The rules for reading inputs.
public struct EntryRules: Sendable {
  /// The arrangement of addresses in the inputs.
  public var mode = InputMode.list
  /// Whether every occurrence of an address is a separate entry.
  public var keepsDuplicates = false
  /// The largest number of addresses in a block or range to expand.
  public var maximumExpansion: UInt64 = 65_536
  /// Divides the items of lists into blocks that have one answer each; `nil` for single addresses.
  public var division: NetworkDivision?
  /// Judges and counts the occurrences of addresses; `nil` if not needed.
  public var sightings: Sightings?
  /// Which addresses of a log's line count.
  public var pick = Pick.all
  /// Whether any line has its name.
  package var pickFindings = PickFindings()
  /// Whether defanged marks, such as `[.]`, are the marks that they stand for.
  public var refangs = false
  /// Whether a journal needs to know what was read.
  public var isJournalled = false
  /// Whether the offsets of log lines are needed.
  public var wantsOffsets = false

  /// Creates the default rules.
  public init() {}
}

/// Parses the bytes of inputs into entries.
///
/// It has no side effects and is fed in steps: unconsumed bytes are passed again, then more.
package protocol InputParser: Sendable {
  /// Whether the rest of the input is not to be parsed.
  var isDone: Bool { get }

  /// The number of entries from blocks and ranges so far, and of those still to come.
  var expansions: (given: UInt64, left: UInt64) { get }

  /// Starts an input, whose number its records get.
  mutating func begin(input: UInt32)

  /// Parses a literal of the command line.
  mutating func parse(literal: Span<UInt8>, into entries: inout EntryBlock)

  /// Adds an address of a capture, which has no lines; its time is in milliseconds since 1970 UTC.
  mutating func take(
    _ occurrence: SightingBook.Occurrence,
    at time: Int64,
    into entries: inout EntryBlock
  )

  /// Adds the rest of an expansion, up to `limit` records; returns whether it is complete.
  mutating func resume(into entries: inout EntryBlock, limit: Int) -> Bool

  /// Parses the next bytes, up to `limit` records; returns the number of bytes consumed.
  mutating func parse(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    into entries: inout EntryBlock,
    limit: Int
  ) -> Int
}

extension InputParser {
  package mutating func take(
    _ occurrence: SightingBook.Occurrence,
    at time: Int64,
    into entries: inout EntryBlock
  ) {}

  package var expansions: (given: UInt64, left: UInt64) { (0, 0) }
}
