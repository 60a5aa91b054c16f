public import SondeInputs
import SondeRecords
import SondeSystem

/// A difference between two files of records.
public struct RecordChange: Sendable, Equatable {
  /// What has happened to a record.
  public enum Kind: String, Sendable, CaseIterable {
    case added, removed, changed, same
  }

  /// The kind, never ``Kind/same``.
  public let kind: Kind
  /// The address, or another text in its place.
  public let ip: String
  /// The field that has changed; empty for an added or a removed record, like its values.
  public var field = ""
  /// The earlier value; empty for a missing one.
  public var old = ""
  /// The later value; empty for a missing one.
  public var new = ""
}

/// The numbers of records, of changed fields and of changed countries.
public struct DiffCounts: Sendable, Equatable {
  /// The records of each kind.
  public var records: [RecordChange.Kind: Int] = [:]
  /// The changes of each field, in the order of the fields.
  public var fields: [(name: String, count: Int)] = []
  /// The records by old and new code of the country, such as `DE>FR`.
  public var countries: [String: Int] = [:]

  /// Whether there is any difference.
  public var isDifferent: Bool { RecordChange.Kind.allCases.dropLast().contains { self[$0] > 0 } }

  /// The records of a kind.
  public subscript(kind: RecordChange.Kind) -> Int { records[kind] ?? 0 }

  /// Compares all counts.
  public static func == (left: DiffCounts, right: DiffCounts) -> Bool {
    left.records == right.records && left.countries == right.countries
      && left.fields.elementsEqual(right.fields) { $0 == $1 }
  }
}

/// Compares two files of records, whose order does not matter, in bounded memory.
public actor RecordDiff {
  private nonisolated let executor = BlockingExecutor(label: "sonde.diff")

  /// The executor of the thread that compares.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let choice: FieldChoice
  private var pairing: RecordPairing?

  /// Creates a comparison of these fields, or of all that both files have, but those that differ in
  /// every run.
  public init(fields: [String]) { choice = FieldChoice(named: fields) }

  /// Reads both files, at the same time; returns the named fields that neither has.
  ///
  /// - Throws: ``InputError`` for a file that is not whole records, and `CancellationError`.
  public func read(_ old: Input, _ new: Input) async throws -> [String] {
    let other = RecordFileReader()
    async let second = other.read(new, choice)
    let first = try RecordFile.sorted(old, choice)
    let pairing = RecordPairing(first, try await second, choice)
    self.pairing = pairing
    return pairing.missing
  }

  /// The next differences, a limited number of records; empty at the end.
  ///
  /// - Throws: ``InputError`` if a temporary file fails, and `CancellationError`.
  public func next() throws -> [RecordChange] {
    let changes = try pairing?.next() ?? []
    try Task.checkCancellation()
    return changes
  }

  /// The counts so far.
  public var counts: DiffCounts { pairing?.counts ?? DiffCounts() }
}

/// Reads a file on a thread of its own.
private actor RecordFileReader {
  private nonisolated let executor = BlockingExecutor(label: "sonde.diff.reader")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func read(_ input: Input, _ choice: FieldChoice) throws -> sending SortedRecords {
    try RecordFile.sorted(input, choice)
  }
}
