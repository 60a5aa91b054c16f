import Records

/// How far an output file is, so that it can be cut to that length.
struct OutputMark: Sendable, Equatable {
  /// Its length in bytes, without a footer.
  var length: UInt64 = 0
  /// The hash of those bytes.
  var hash: UInt64 = 0
  /// Whether it holds no record yet.
  var isEmpty = true
}

/// How far the inputs have been read: never less far than what the outputs hold.
struct InputMark: Sendable, Equatable {
  /// The inputs read to their end, in order, as one hash.
  var finished: UInt64 = 0
  /// The number of the input being read.
  var input: UInt64 = 0
  /// Bytes read of it, as they lie on the disk.
  var length: UInt64 = 0
  /// The hash of those bytes.
  var hash: UInt64 = 0
  /// Whether they were all of it, the last line without its line feed.
  var endsInLine = false
}

/// One line of a journal: what ties the inputs, the records and the outputs together.
///
/// Whatever happens behind it is done again from here.
struct JournalEntry: Sendable, Equatable {
  /// What the options and inputs were, as one hash.
  var fingerprint: UInt64 = 0
  /// Entries whose records, and those of all before them, are in the outputs.
  var entries: UInt64 = 0
  /// Further entries that are in the outputs, by their distance from ``entries``, in ascending order.
  var ahead: [UInt32] = []
  var main = OutputMark()
  var rejects = OutputMark()
  var missing = OutputMark()
  var inputs = InputMark()
  var tally = Tally()
  /// Requests sent and throttled, losses, milliseconds offline and elapsed, in the runs until now.
  var counters = RunCounters()
}

/// What a summary tells of all runs of a job together.
public struct RunCounters: Sendable, Equatable {
  /// Requests sent.
  public var requests: UInt64 = 0
  /// Requests answered with 429.
  public var throttled: UInt64 = 0
  /// Losses of the network.
  public var losses: UInt64 = 0
  /// Milliseconds without the network.
  public var offline: UInt64 = 0
  /// Milliseconds in all.
  public var elapsed: UInt64 = 0

  /// Makes counters of nothing.
  public init() {}

  /// Adds the counters of another run.
  public static func += (left: inout RunCounters, right: RunCounters) {
    left.requests += right.requests
    left.throttled += right.throttled
    left.losses += right.losses
    left.offline += right.offline
    left.elapsed += right.elapsed
  }
}

// MARK: - On the disk

extension JournalEntry {
  /// `SONDEJ` and the version of this layout.
  private static let magic: UInt64 = 0x534f_4e44_454a_0001

  /// The entry as little-endian words, the last one their checksum.
  var words: [UInt64] {
    var words = [Self.magic, fingerprint, entries]
    for mark in [main, rejects, missing] {
      words += [mark.length, mark.hash, mark.isEmpty ? 1 : 0]
    }
    words += [
      inputs.finished, inputs.input, inputs.length, inputs.hash, inputs.endsInLine ? 1 : 0,
    ]
    words += tally.words
    words += [
      counters.requests, counters.throttled, counters.losses, counters.offline, counters.elapsed,
    ]
    words.append(UInt64(ahead.count))
    words += ahead.map { UInt64($0) }
    return words + [Self.checksum(words)]
  }

  /// Reads an entry; `nil` where it is not whole.
  init?(words: [UInt64]) {
    guard let sum = words.last, words.first == Self.magic, sum == Self.checksum(words.dropLast())
    else { return nil }
    var rest = words.dropFirst()[...]
    func next() -> UInt64 { rest.popFirst() ?? 0 }
    fingerprint = next()
    entries = next()
    for mark in [\JournalEntry.main, \.rejects, \.missing] {
      self[keyPath: mark] = OutputMark(length: next(), hash: next(), isEmpty: next() == 1)
    }
    inputs = InputMark(
      finished: next(),
      input: next(),
      length: next(),
      hash: next(),
      endsInLine: next() == 1
    )
    tally = Tally(words: (0..<Tally.wordCount).map { _ in next() })
    counters.requests = next()
    counters.throttled = next()
    counters.losses = next()
    counters.offline = next()
    counters.elapsed = next()
    let count = next()
    guard count + 1 == UInt64(rest.count) else { return nil }
    ahead = rest.dropLast().map { UInt32(truncatingIfNeeded: $0) }
  }

  private static func checksum(_ words: some Sequence<UInt64>) -> UInt64 {
    words.reduce(0x9e37_79b9_7f4a_7c15) { sum, word in
      let mixed = (sum ^ word) &* 0xff51_afd7_ed55_8ccd
      return mixed ^ (mixed >> 32)
    }
  }
}

extension Tally {
  static var wordCount: Int { 7 + Source.allCases.count }

  /// The counts of records; entries and duplicates are counted anew from the inputs.
  var words: [UInt64] {
    ([ok, unknown, reserved, invalid, failed, networkLost, cached] + sources).map { UInt64($0) }
  }

  init(words: [UInt64]) {
    self.init()
    let counts = words.map { Int(clamping: $0) }
    (ok, unknown, reserved) = (counts[0], counts[1], counts[2])
    (invalid, failed, networkLost, cached) = (counts[3], counts[4], counts[5], counts[6])
    for source in Source.allCases { self[source] = counts[7 + Int(source.rawValue)] }
  }
}
