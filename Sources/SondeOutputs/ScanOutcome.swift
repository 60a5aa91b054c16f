public import SondeInputs
public import SondeRecords

/// The outcome of a scan.
public struct ScanOutcome: Sendable {
  /// The counts of written records, and of duplicates.
  public var tally = Tally()

  /// Inputs that could not be read.
  public var inputErrors: [InputError] = []

  /// Why writing ended, if it failed.
  public var outputError: OutputError?

  /// Whether the scan was stopped before its end.
  public var isInterrupted = false

  /// Whether all inputs are read, and all records written.
  public var isComplete: Bool { !isInterrupted && inputErrors.isEmpty && outputError == nil }

  /// The results of rows requested again; `nil` if the entries are not rows.
  public var upgrades: UpgradeTally?

  /// The outputs that were not replaced.
  public var unfinished: [UnfinishedFile] = []

  /// The results of a log's lines; `nil` if none are copied.
  public var lines: LineTally?

  /// The number of distinct addresses read, counted or copied without an answer at the end.
  public var unanswered = 0

  /// The number of records counted without asking a provider.
  public var countedRecords = 0

  /// Whether everything to copy from the input is in the output.
  public var isCopied = false

  /// Creates an empty outcome.
  public init() {}
}

/// The results of a log's lines.
public struct LineTally: Sendable, Equatable {
  /// The number of lines read and written or dropped.
  public var lines = 0
  /// The number of lines with insertions.
  public var annotated = 0
  /// The number of lines written unchanged because they were late.
  public var late = 0
  /// The number of lines dropped because of a condition.
  public var excluded = 0

  /// The number of rows copied unchanged because their number of cells differs from the header's.
  public var ragged = 0
  /// The number of lines copied unchanged because they were too long.
  public var long = 0
  /// The number of distinct addresses in late lines without an answer at the end.
  public var unanswered = 0

  package init(
    lines: Int = 0,
    annotated: Int = 0,
    late: Int = 0,
    excluded: Int = 0,
    ragged: Int = 0,
    long: Int = 0,
    unanswered: Int = 0
  ) {
    (self.lines, self.annotated) = (lines, annotated)
    (self.late, self.excluded) = (late, excluded)
    (self.ragged, self.long, self.unanswered) = (ragged, long, unanswered)
  }

  /// The number of lines written without insertions, or dropped because they have no address.
  public var unchanged: Int { lines - annotated - late - excluded }

  package static func += (left: inout LineTally, right: LineTally) {
    left.lines += right.lines
    left.annotated += right.annotated
    left.late += right.late
    left.excluded += right.excluded
    left.ragged += right.ragged
    left.long += right.long
  }
}
