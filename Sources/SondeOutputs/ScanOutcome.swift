public import SondeInputs
public import SondeRecords

/// How a scan ended.
public struct ScanOutcome: Sendable {
  /// The counts of what was written, and of duplicates.
  public var tally = Tally()

  /// Inputs that could not be read.
  public var inputErrors: [InputError] = []

  /// Why writing ended, if it did.
  public var outputError: OutputError?

  /// Whether the scan was stopped before its end.
  public var isInterrupted = false

  /// Whether there is nothing left to do: all inputs are read, and all records written.
  public var isComplete: Bool { !isInterrupted && inputErrors.isEmpty && outputError == nil }

  /// What became of the rows that were asked for again; `nil` where the entries are no rows.
  public var upgrades: UpgradeTally?

  /// The outputs that have not been replaced.
  public var unfinished: [UnfinishedFile] = []

  /// What became of the lines of a log; `nil` where none is copied.
  public var lines: LineTally?

  /// Distinct addresses that were read, counted or copied, and had no answer at the end.
  public var unanswered = 0

  /// Records that were counted as they are, without asking anybody.
  public var countedRecords = 0

  /// Whether everything that there was to copy from the input is in the output.
  public var isCopied = false

  /// Makes the outcome of nothing.
  public init() {}
}

/// What became of lines.
public struct LineTally: Sendable, Equatable {
  /// Lines read and written, or left out.
  public var lines = 0
  /// Lines that something was inserted in.
  public var annotated = 0
  /// Lines that were not waited for any longer, and went out as they came.
  public var late = 0

  /// Rows that passed unchanged because they have more or fewer cells than the header.
  public var ragged = 0
  /// Lines that passed unchanged because they were too long to be searched.
  public var long = 0
  /// Distinct addresses of late lines that were not answered before the end.
  public var unanswered = 0

  /// Makes the counts of some lines.
  package init(
    lines: Int = 0,
    annotated: Int = 0,
    late: Int = 0,
    ragged: Int = 0,
    long: Int = 0,
    unanswered: Int = 0
  ) {
    (self.lines, self.annotated, self.late) = (lines, annotated, late)
    (self.ragged, self.long, self.unanswered) = (ragged, long, unanswered)
  }

  /// Lines that nothing was to be inserted in.
  public var unchanged: Int { lines - annotated - late }

  package static func += (left: inout LineTally, right: LineTally) {
    left.lines += right.lines
    left.annotated += right.annotated
    left.late += right.late
    left.ragged += right.ragged
    left.long += right.long
  }
}
