package import SondeAddresses
public import SondeRecords

/// How addresses stand in an input.
public enum InputMode: Sendable {
  /// One item a line.
  case list
  /// Anywhere in the text.
  case log
}

/// How inputs are read.
public struct EntryRules: Sendable {
  /// How addresses stand in the inputs.
  public var mode = InputMode.list
  /// Whether every occurrence of an address is an entry of its own.
  public var keepsDuplicates = false
  /// The largest block or range that is expanded, in addresses.
  public var maximumExpansion: UInt64 = 65_536
  /// Counts what the addresses of captures send and receive, and keeps these to their end; `nil` where
  /// nobody asks for it.
  public var traffic: Traffic?
  /// Whether a journal has to know what has been read.
  public var isJournalled = false
  /// Whether it is wanted where the lines of logs begin.
  public var wantsOffsets = false

  /// Makes the default rules.
  public init() {}
}

/// Turns the bytes of inputs into entries.
///
/// Pure, and fed in pieces: what it does not consume is given again, with more behind it.
package protocol InputParser: Sendable {
  /// Whether what is left of the input, if anything, is none of its business.
  var isDone: Bool { get }

  /// How many entries blocks and ranges have given, and how many the one at hand is still to give.
  var expansions: (given: UInt64, left: UInt64) { get }

  /// Turns to the first byte of an input, whose number its records carry.
  mutating func begin(input: UInt32)

  /// Takes a literal of the command line.
  mutating func parse(literal: Span<UInt8>, into entries: inout EntryBlock)

  /// Takes an address of a capture, which has no lines.
  mutating func take(_ address: Address, into entries: inout EntryBlock)

  /// Adds the rest of what did not fit, up to `limit` records; whether all of it is out.
  mutating func resume(into entries: inout EntryBlock, limit: Int) -> Bool

  /// Parses what comes next, up to `limit` records; the bytes consumed.
  mutating func parse(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    into entries: inout EntryBlock,
    limit: Int
  ) -> Int
}

extension InputParser {
  package mutating func take(_ address: Address, into entries: inout EntryBlock) {}

  package var expansions: (given: UInt64, left: UInt64) { (0, 0) }
}
