/// Who was there: everything that a summary has found out, from which each of its outputs is drawn.
///
/// A plain value: nothing in it is escaped, cut or laid out. Names are as the providers gave them, so
/// whoever shows them to a person or puts them into a page escapes them first.
public struct SummaryReport: Sendable, Equatable {
  /// What the summary is called; the names of its inputs unless the user gave it a title.
  public var title: String

  /// When the summary was made, in seconds since 1970 UTC.
  public var madeAt: Int64

  /// When the run began, in seconds since 1970 UTC; `nil` where that is not known.
  public var startedAt: Int64?

  /// Whether the run was interrupted, so that more may have been in the inputs.
  public var isPartial = false

  /// What was counted in all.
  public var totals = Totals()

  /// When the first and the last of what was counted was; `nil` where nothing had a time.
  public var period: Period?

  /// The name of the time zone that ``SummaryTable/Kind/hour`` and ``SummaryTable/Kind/day`` are in.
  public var timeZone = "UTC"

  /// The tables that have data, in the order of ``SummaryTable/Kind``.
  public var tables: [SummaryTable] = []

  /// When the run had no network, in order; none for a run that asked nobody.
  public var losses: [NetworkLoss] = []

  /// Whose data this is made of, each once.
  public var credits: [DataCredit] = []

  /// Makes the report of nothing.
  public init(title: String, madeAt: Int64) {
    self.title = title
    self.madeAt = madeAt
  }

  /// The table of a kind; `nil` where there is no data for it.
  public subscript(kind: SummaryTable.Kind) -> SummaryTable? { tables.first { $0.kind == kind } }
}

extension SummaryReport {
  /// What was counted in all.
  public struct Totals: Sendable, Equatable {
    /// Distinct addresses.
    public var addresses: Int
    /// Records; in a log, occurrences of addresses.
    public var hits: Int

    /// Makes totals.
    public init(addresses: Int = 0, hits: Int = 0) {
      self.addresses = addresses
      self.hits = hits
    }
  }

  /// A time from a moment to another one.
  public struct Period: Sendable, Equatable {
    /// The first second, since 1970 UTC.
    public var from: Int64
    /// The last second, since 1970 UTC.
    public var to: Int64
    /// Both as a person writes them, in ``SummaryReport/timeZone``: `17 May 2015, 10:05`.
    public var words: Words?

    /// The begin and the end of a period as a person writes them.
    public struct Words: Sendable, Equatable {
      /// The first minute.
      public var from: String
      /// The last minute.
      public var to: String

      /// Makes words.
      public init(from: String, to: String) {
        self.from = from
        self.to = to
      }
    }

    /// Makes a period.
    public init(from: Int64, to: Int64, words: Words? = nil) {
      self.from = from
      self.to = to
      self.words = words
    }
  }

  /// A time without network.
  public struct NetworkLoss: Sendable, Equatable {
    /// When it began, in seconds since 1970 UTC.
    public var from: Int64
    /// When the network was back; `nil` where it was not before the end of the run.
    public var to: Int64?
    /// Why, as in the `cause` of events: `link_down`, for instance.
    public var cause: String

    /// Makes a loss.
    public init(from: Int64, to: Int64?, cause: String) {
      self.from = from
      self.to = to
      self.cause = cause
    }
  }

  /// Whose data was used, and on which terms.
  public struct DataCredit: Sendable, Equatable {
    /// The provider or the database: `IPFire Location Database`, for instance.
    public var name: String
    /// The licence or the terms: `CC BY-SA 4.0`, for instance; `nil` where they are not known.
    public var licence: String?

    /// Makes a credit.
    public init(name: String, licence: String?) {
      self.name = name
      self.licence = licence
    }
  }
}
