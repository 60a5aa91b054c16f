/// The hits of a summary by the combinations of its tables' rows, so that a reader can choose rows
/// and see what the hits of these have in common.
public struct SummaryChoices: Sendable, Equatable {
  /// The tables whose rows make a combination.
  public internal(set) var panels: [SummaryTable.Kind] = []
  /// The timeline whose rows are the times of hits; `nil` without times.
  public internal(set) var timeline: SummaryTable.Kind?

  /// The distinct addresses in each row of the timeline.
  public internal(set) var timeAddresses: [Int] = []

  /// The combinations: first those of ``addresses``, in their order, then those with the most hits.
  public internal(set) var combinations: [Combination] = []
  /// For each combination its row in each of ``panels``.
  public internal(set) var rows: [Int32] = []
  /// The hits of combinations by time, those of each combination one after the other.
  public internal(set) var cells: [Cell] = []

  /// The addresses with the most hits, then others of those with the most in any row of the timeline.
  public internal(set) var addresses: [Address] = []
  /// How many of ``addresses`` are those with the most hits.
  public internal(set) var leading = 0
  /// The hits of ``addresses``, those of each one after the other.
  public internal(set) var parts: [Part] = []

  /// The addresses that several combinations count.
  public internal(set) var shared: [Shared] = []

  /// The number of addresses with the most hits in a row of the timeline.
  static let perTime = 20

  /// Hits whose addresses belong to the same rows.
  public struct Combination: Sendable, Equatable {
    /// The hits.
    public internal(set) var hits = 0
    /// The distinct addresses.
    public internal(set) var addresses = 0
    /// The indices of its hits by time, in ``SummaryChoices/cells``.
    public internal(set) var cells = 0..<0
  }

  /// The hits of a combination in a row of the timeline.
  public struct Cell: Sendable, Equatable {
    /// The row.
    public let time: Int32
    /// The hits.
    public internal(set) var hits = 0
    /// The distinct addresses.
    public internal(set) var addresses = 0
  }

  /// An address, or the addresses that have become one.
  public struct Address: Sendable, Equatable {
    /// Its text; empty for the hits without an address.
    public let key: String
    /// What is known of it besides its rows, such as `Private-Use` or `network lost`.
    public fileprivate(set) var note: String
    /// The combination that describes it; `nil` for none.
    public internal(set) var home: Int?
    /// The hits.
    public let hits: Int
    /// The true number of addresses.
    public let addresses: Int
    /// The first hit, in seconds since 1970 UTC; `nil` without a time.
    public let firstSeen: Int64?
    /// The last hit.
    public let lastSeen: Int64?
    /// The indices of its hits, in ``SummaryChoices/parts``.
    public internal(set) var parts = 0..<0
  }

  /// The hits of an address in a combination and a row of the timeline.
  public struct Part: Hashable, Sendable {
    /// The index of the combination.
    public internal(set) var combination: Int32
    /// The row of the timeline; -1 without a time.
    public let time: Int32
    /// The hits.
    public internal(set) var hits: Int
  }

  /// Addresses that the same combinations count, in a row of the timeline or in all.
  public struct Shared: Sendable, Equatable {
    /// The row of the timeline; -1 for all hits.
    public let time: Int32
    /// The indices of the combinations.
    public internal(set) var combinations: [Int32]
    /// The number of addresses.
    public let addresses: Int
  }
}

extension SummaryChoices {
  /// Replaces the notes of addresses.
  mutating func replaceNotes(by replace: (String) -> String) {
    for index in addresses.indices { addresses[index].note = replace(addresses[index].note) }
  }
}
