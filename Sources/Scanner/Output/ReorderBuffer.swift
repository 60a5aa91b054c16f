public import Records

/// Output bytes of records that follow one another in the input.
public struct Piece: Sendable, Equatable {
  /// The number of the first entry.
  public var first: UInt64

  /// How many entries there are.
  public var count: Int

  /// The encoded records for the output, each behind its separator.
  public var output: [UInt8] = []

  /// The encoded records for the file of rejects.
  public var rejects: [UInt8] = []

  /// Lines for the file of missing addresses.
  public var missing: [UInt8] = []

  /// What the records count as.
  public var tally = Tally()

  /// What became of the rows that were asked for again.
  var upgrades = UpgradeTally()

  /// The bytes of the rows that the records come from.
  var rowBytes = 0

  /// Makes a piece without records.
  public init(first: UInt64) {
    self.first = first
    count = 0
  }

  /// Puts another piece behind this one, to be written with it.
  mutating func append(_ piece: Piece) {
    count += piece.count
    output += piece.output
    rejects += piece.rejects
    missing += piece.missing
    tally += piece.tally
    upgrades += piece.upgrades
    rowBytes += piece.rowBytes
  }
}

/// Gives pieces back in the order of the input, whatever the order in which they come.
public struct ReorderBuffer: Sendable {
  private var pieces: [UInt64: Piece] = [:]

  /// The entry whose piece is due.
  public private(set) var next: UInt64 = 0

  /// Makes a buffer that waits for an entry.
  public init(next: UInt64 = 0) { self.next = next }

  /// Whether nothing is held back.
  public var isEmpty: Bool { pieces.isEmpty }

  /// Takes a piece in.
  public mutating func insert(_ piece: Piece) { pieces[piece.first] = piece }

  /// The next piece, if it is there.
  public mutating func popNext() -> Piece? {
    guard let piece = pieces.removeValue(forKey: next) else { return nil }
    next += UInt64(piece.count)
    return piece
  }

  /// Everything that is there, for an end before its time: in order, with gaps.
  public mutating func popAll() -> [Piece] {
    let rest = pieces.values.sorted { $0.first < $1.first }
    pieces.removeAll()
    return rest
  }
}
