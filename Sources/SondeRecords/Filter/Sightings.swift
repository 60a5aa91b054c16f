public import SondePrivacy
public import SondeSystem
import Synchronization

/// The occurrences of addresses in all inputs of a run: the totals of each address, the lines of
/// records, and which occurrences a condition lets stay.
///
/// They are judged and counted in the order of the inputs. Memory is bounded by the number of
/// distinct addresses.
public final class Sightings: Sendable {
  /// What is needed of occurrences.
  public struct Rules: Sendable {
    /// Whether the totals of each address are counted.
    public var countsTotals = false
    /// Whether times are needed.
    public var findsTimes = false
    /// Whether records show the texts of their lines.
    public var keepsTexts = false
    /// Whether every occurrence is an entry.
    public var keepsDuplicates = false
    /// Finds the crawlers that lines claim to come from; `nil` if that does not matter.
    public var claims: CrawlerClaims.Finder?
    /// The condition that occurrences meet; `nil` for none.
    public var filter: Filter?
    /// The periods of which answers are asked for; `nil` if they depend on no time.
    public var periods: BuildPeriods?
    /// Finds what the answers about addresses in their periods contribute to a condition that joins
    /// them to comparisons of occurrences; `nil` for addresses that nobody is asked about.
    public var answers: (@Sendable ([SubjectKey]) -> [FilterFindings?])?
    /// The zone of times without one.
    public var zone = TimeZoneRules.utc
    /// Replaces addresses in texts that are kept; `nil` if they stay.
    public var anonymizer: Anonymizer?
    /// The addresses that stand for others in the inputs.
    public var pseudonyms: Pseudonyms?

    /// Creates rules that need nothing.
    public init() {}

    /// Whether only totals are needed, so that each address is one entry.
    package var onlyCounts: Bool {
      countsTotals && filter == nil && !keepsDuplicates && !keepsTexts
    }
    /// Whether the whole text of a line is needed.
    package var readsTexts: Bool { keepsTexts || filter?.fields.contains(.text) ?? false }
    /// Whether whole lines are needed.
    package var readsLines: Bool {
      readsTexts || findsTimes || claims != nil || periods != nil
    }
  }

  /// The rules.
  package let rules: Rules
  private let book: Mutex<SightingBook>

  /// The length of the longest text that is kept, in bytes.
  package static let longestText = 4096

  /// Creates an empty record of occurrences.
  public init(_ rules: Rules = Rules()) {
    self.rules = rules
    book = Mutex(SightingBook(rules))
  }

  /// Whether totals are counted, so that records wait for the end of the inputs.
  public var countsTotals: Bool { rules.countsTotals }

  /// Judges and counts occurrences; used by one thread at a time, in the order of the inputs.
  package func note<Result>(_ body: (inout SightingBook) -> Result) -> Result
  where Result: Sendable {
    book.withLock { body(&$0) }
  }

  /// The totals of a record's address; `nil` if it has none.
  func totals(of record: Record) -> Totals? {
    if let totals = record.totals { return totals }
    guard rules.countsTotals else { return nil }
    return book.withLock { $0.totals(of: record) }
  }

  /// The occurrences that a record stands for, if a condition distinguishes them.
  func scene(of record: Record) -> SightingBook.Scene? {
    guard record.place.scene > 0 else { return nil }
    return book.withLock { $0.scene(of: record.place) }
  }

  /// The text of a record's line; empty if it has none.
  func text(of record: Record) -> [UInt8] {
    guard record.place.text > 0 else { return [] }
    return book.withLock { $0.text(record.place.text) }
  }

  /// Whether addresses are replaced in what is kept.
  package var isAnonymous: Bool { rules.anonymizer != nil }

  /// Forgets the text of a record that is written.
  package func release(_ place: Place) {
    guard place.text > 0 else { return }
    book.withLock { $0.removeText(place.text) }
  }

  /// A line without its end as it is kept: valid UTF-8 of at most ``longestText`` bytes, with its
  /// addresses replaced.
  package func kept(_ line: Span<UInt8>) -> [UInt8] {
    // Replaced before it is cut, since a part of an address would not be found.
    guard let anonymizer = rules.anonymizer else { return Self.cut(line) }
    return Self.cut(anonymizer.text(line).span)
  }

  private static func cut(_ line: Span<UInt8>) -> [UInt8] {
    let text = line.extracting(0..<min(line.count, longestText + 4))
    var bytes = Array(String(decoding: text.indices.map { text[$0] }, as: UTF8.self).utf8)
    guard bytes.count > longestText else { return bytes }
    var end = longestText
    while end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
    bytes.removeLast(bytes.count - end)
    return bytes
  }
}
