package import SondeInputs
package import SondeRecords
import SondeStore
import SondeSystem

/// The progress of an output file, to which it can be truncated.
struct OutputMark: Sendable, Equatable {
  /// Its length in bytes, without a footer.
  var length: UInt64 = 0
  /// The hash of those bytes.
  var hash: UInt64 = 0
  /// Whether it holds no record yet.
  var isEmpty = true
}

/// The content of a journal: the consistent progress of inputs, records and outputs.
///
/// Everything after it is repeated from here.
package struct Checkpoint: Sendable, Equatable {
  /// The first entry whose record is not in the outputs; all earlier ones are.
  package var firstUnwritten: UInt64 = 0
  /// Further entries that are in the outputs, in ascending order.
  package var ahead: [Range<UInt64>] = []
  var main = OutputMark()
  var rejects = OutputMark()
  var missing = OutputMark()
  package var inputs = InputMark()
  package var tally = Tally()
  /// The requests sent and throttled, losses, milliseconds offline and elapsed, of all runs so far.
  var counters = RunCounters()

  package init() {}
}

/// The counters of all runs of a job, for the summary.
public struct RunCounters: Sendable, Equatable {
  /// Requests sent.
  public var requests: UInt64 = 0
  /// Requests answered with 429.
  public var throttled: UInt64 = 0
  /// Requests sent to address registries, which no provider's budget includes.
  public var ownerRequests: UInt64 = 0
  /// Requests to address registries answered with 429.
  public var ownerThrottled: UInt64 = 0
  /// Losses of the network.
  public var losses: UInt64 = 0
  /// Milliseconds without the network.
  public var offline: UInt64 = 0
  /// Elapsed milliseconds.
  public var elapsed: UInt64 = 0

  /// Creates counters of zero.
  public init() {}

  /// Adds the counters of another run.
  public static func += (left: inout RunCounters, right: RunCounters) {
    left.requests += right.requests
    left.throttled += right.throttled
    left.ownerRequests += right.ownerRequests
    left.ownerThrottled += right.ownerThrottled
    left.losses += right.losses
    left.offline += right.offline
    left.elapsed += right.elapsed
  }
}

// MARK: - Encoding

extension Checkpoint {
  /// `SONDEJ` and the version of this layout.
  static let magic: UInt64 = 0x534f_4e44_454a_0005

  /// The checkpoint as little-endian words, the last one their checksum.
  var words: [UInt64] {
    var words = [Self.magic, firstUnwritten]
    for mark in [main, rejects, missing] {
      words += [mark.length, mark.hash, mark.isEmpty ? 1 : 0]
    }
    words += [inputs.finished, inputs.input, inputs.length, inputs.hash, inputs.endsInLine ? 1 : 0]
    words += tally.words
    words += [
      counters.requests, counters.throttled, counters.losses, counters.offline, counters.elapsed,
    ]
    words.append(UInt64(ahead.count))
    // The distance from `firstUnwritten` and the length; the window keeps both far below 2^32.
    words += ahead.map { ($0.lowerBound &- firstUnwritten) << 32 | UInt64($0.count) & 0xffff_ffff }
    // Earlier versions do not know such entries.
    if tally.excluded > 0 || !tally.faults.isEmpty || counters.owners > 0 {
      words.append(UInt64(tally.excluded))
    }
    for faults in tally.faults { words += [UInt64(faults.failed), UInt64(faults.networkLost)] }
    if counters.owners > 0 { words.append(counters.owners) }
    return words + [Self.checksum(words)]
  }

  /// Decodes a checkpoint; `nil` if it is damaged.
  init?(words: [UInt64]) {
    guard let sum = words.last, words.first == Self.magic, sum == Self.checksum(words.dropLast())
    else { return nil }
    var reader = words.dropFirst()
    firstUnwritten = reader.next()
    (main, rejects) = (reader.nextOutputMark(), reader.nextOutputMark())
    missing = reader.nextOutputMark()
    (inputs.finished, inputs.input) = (reader.next(), reader.next())
    (inputs.length, inputs.hash) = (reader.next(), reader.next())
    inputs.endsInLine = reader.next() == 1
    tally = reader.nextTally()
    counters.requests = UInt64(reader.nextCount())
    counters.throttled = UInt64(reader.nextCount())
    counters.losses = UInt64(reader.nextCount())
    counters.offline = UInt64(reader.nextCount())
    counters.elapsed = UInt64(reader.nextCount())
    let count = Int(clamping: reader.next())
    let rest = reader.count - 1
    guard count <= rest, rest - count <= 2 + 2 * SourceFaults.limit else { return nil }
    ahead = reader.prefix(count).map { [firstUnwritten] word in
      let start = firstUnwritten &+ word >> 32
      return start..<max(start, start &+ (word & 0xffff_ffff))
    }
    reader.removeFirst(count)
    if count < rest { tally.excluded = reader.nextCount() }
    for source in 0..<(max(rest - count, 1) - 1) / 2 {
      let (failed, networkLost) = (reader.nextCount(), reader.nextCount())
      tally.add(FaultTally(failed: failed, networkLost: networkLost), of: source)
    }
    // One more word after the pairs.
    if rest > count, (rest - count).isMultiple(of: 2) { counters.owners = reader.next() }
  }

  private static func checksum(_ words: some Sequence<UInt64>) -> UInt64 {
    var sum = Checksum()
    for word in words { sum.update(word: word) }
    return sum.value
  }
}

extension RunCounters {
  /// The requests sent to registries, as one word; 0 for none.
  fileprivate var owners: UInt64 {
    get { min(ownerRequests, 0xffff_ffff) << 32 | min(ownerThrottled, 0xffff_ffff) }
    set { (ownerRequests, ownerThrottled) = (newValue >> 32, newValue & 0xffff_ffff) }
  }
}

extension ArraySlice<UInt64> {
  /// Removes the first word; zero after the last one.
  fileprivate mutating func next() -> UInt64 { popFirst() ?? 0 }

  /// A count, limited so that any sum of counts is valid, whatever the file contains.
  fileprivate mutating func nextCount() -> Int { Int(Swift.min(next(), 1 << 48)) }

  fileprivate mutating func nextOutputMark() -> OutputMark {
    OutputMark(length: next(), hash: next(), isEmpty: next() == 1)
  }

  fileprivate mutating func nextTally() -> Tally {
    var tally = Tally()
    (tally.ok, tally.unknown, tally.reserved) = (nextCount(), nextCount(), nextCount())
    (tally.invalid, tally.failed, tally.networkLost) = (nextCount(), nextCount(), nextCount())
    tally.cached = nextCount()
    for number in 0..<Source.limit {
      let word = next()
      guard let source = Source(number: number) else { continue }
      tally[source] = Int(Swift.min(word & ~Tally.answeringBit, 1 << 48))
      if word & Tally.answeringBit != 0 { tally.noteAnswer(of: source) }
    }
    return tally
  }
}

extension Tally {
  /// The bit that is set beside the count of a provider which answered in this scan.
  fileprivate static let answeringBit: UInt64 = 1 << 63

  /// The counts of records; entries and duplicates are counted again from the inputs.
  fileprivate var words: [UInt64] {
    [ok, unknown, reserved, invalid, failed, networkLost, cached].map { UInt64($0) }
      + sources.enumerated().map { number, count in
        let hasAnswered = Source(number: number).map { hasAnswer(of: $0) } ?? false
        return UInt64(count) | (hasAnswered ? Self.answeringBit : 0)
      }
  }
}
