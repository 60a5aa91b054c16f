/// The content of a summary, from which all its outputs are created.
///
/// Nothing in it is escaped, cut or formatted. Names are as the providers sent them, so outputs
/// must escape them.
public struct SummaryReport: Sendable, Equatable {
  /// The title; by default the names of the inputs.
  public var title: String

  /// When the summary was made, in seconds since 1970 UTC.
  public var madeAt: Int64

  /// When the run began, in seconds since 1970 UTC; `nil` if unknown.
  public var startedAt: Int64?

  /// Whether the run was interrupted, so that the inputs may contain more.
  public var isPartial = false

  /// The total counts.
  public var totals = Totals()

  /// The period of all hits; `nil` if none has a time.
  public var period: Period?

  /// The name of the time zone of ``SummaryTable/Kind/hour`` and ``SummaryTable/Kind/day``.
  public var timeZone = "UTC"

  /// The tables that have data, in the order of ``SummaryTable/Kind``.
  public var tables: [SummaryTable] = []

  /// The kinds that the user named.
  public var named: Set<SummaryTable.Kind> = []

  /// The tables of combinations, in the order of their groupings.
  public var combinations: [CombinationTable] = []

  /// The combinations of the rows of tables, for a reader to choose from; `nil` if not counted.
  public var choices: SummaryChoices?

  /// The losses of the network during the run, in order; empty without requests.
  public var losses: [NetworkLoss] = []

  /// The sources of the data, without duplicates.
  public var credits: [DataCredit] = []

  /// Creates an empty report.
  public init(title: String, madeAt: Int64) { (self.title, self.madeAt) = (title, madeAt) }

  /// Whether people are shown a table: it tells them something, or they named it.
  public func isShown(_ table: SummaryTable) -> Bool {
    table.isOfInterest || named.contains(table.kind)
  }

  /// The table of a kind; `nil` if it has no data.
  public subscript(kind: SummaryTable.Kind) -> SummaryTable? { tables.first { $0.kind == kind } }
}

extension SummaryReport {
  /// The total counts.
  public struct Totals: Sendable, Equatable {
    /// Distinct addresses.
    public var addresses: Int
    /// Records; in a log, occurrences of addresses.
    public var hits: Int

    /// Makes totals.
    public init(addresses: Int = 0, hits: Int = 0) {
      (self.addresses, self.hits) = (addresses, hits)
    }
  }

  /// A period.
  public struct Period: Sendable, Equatable {
    /// The first second, since 1970 UTC.
    public var from: Int64
    /// The last second, since 1970 UTC.
    public var to: Int64
    /// Both in readable form, in ``SummaryReport/timeZone``: `17 May 2015, 10:05`.
    public var words: Words?

    /// The start and the end of a period in readable form.
    public struct Words: Sendable, Equatable {
      /// The first minute.
      public var from: String
      /// The last minute.
      public var to: String

      /// Makes words.
      public init(from: String, to: String) { (self.from, self.to) = (from, to) }
    }

    /// Creates a period.
    public init(from: Int64, to: Int64, words: Words? = nil) {
      (self.from, self.to, self.words) = (from, to, words)
    }
  }

  /// A time without network.
  public struct NetworkLoss: Sendable, Equatable {
    /// When it began, in seconds since 1970 UTC.
    public var from: Int64
    /// When the network was back; `nil` if not before the end of the run.
    public var to: Int64?
    /// The cause, as in events, such as `link_down`.
    public var cause: String

    /// Creates a loss.
    public init(from: Int64, to: Int64?, cause: String) {
      (self.from, self.to, self.cause) = (from, to, cause)
    }
  }

  /// A source of data with its terms.
  public struct DataCredit: Sendable, Equatable {
    /// The provider or the database, such as `IPFire Location Database`.
    public var name: String
    /// The licence or the terms, such as `CC BY-SA 4.0`; `nil` if unknown.
    public var licence: String?
    /// The page that the name leads to; `nil` without one.
    public var link: String?

    /// Creates a credit.
    public init(name: String, licence: String?, link: String? = nil) {
      (self.name, self.licence, self.link) = (name, licence, link)
    }
  }
}
