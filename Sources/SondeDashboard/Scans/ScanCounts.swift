import SondeAsking
public import SondeOutputs
public import SondeRecords

/// The counts of a scan: the results of its entries, and the requests sent.
public struct ScanCounts: Sendable, Equatable {
  /// The results of the entries.
  public var tally = Tally()

  /// Requests sent and lost in all runs.
  public var counters = RunCounters()

  /// The counts as in a `summary` event.
  public var json: JSONObject {
    var object = JSONObject()
    object.add(tally)
    object.add(counters)
    return object
  }
}

extension Tally {
  /// Records that are addresses.
  var addresses: Int { records - invalid }
}

// MARK: - Storage

extension ScanCounts {
  private static let fields: [any WritableKeyPath<Tally, Int> & Sendable] = [
    \.entries, \.duplicates, \.ok, \.unknown, \.reserved, \.invalid, \.failed, \.networkLost,
    \.cached,
  ]
  private static let counterFields: [any WritableKeyPath<RunCounters, UInt64> & Sendable] = [
    \.requests, \.throttled, \.losses, \.offline, \.elapsed,
  ]
  /// Stored last because earlier versions did not have them.
  private static let laterFields: [any WritableKeyPath<RunCounters, UInt64> & Sendable] = [
    \.ownerRequests, \.ownerThrottled,
  ]

  var numbers: [UInt64] {
    Self.fields.map { UInt64(clamping: tally[keyPath: $0]) }
      + Self.counterFields.map { counters[keyPath: $0] }
      + tally.sources.map { UInt64(clamping: $0) }
      + Self.laterFields.map { counters[keyPath: $0] }
  }

  /// Restores the counts; missing numbers are 0.
  init(numbers: [UInt64]) {
    var rest = numbers[...]
    // Bounded so that sums cannot overflow.
    func next() -> UInt64 { rest.isEmpty ? 0 : min(rest.removeFirst(), 1 << 48) }
    for field in Self.fields { tally[keyPath: field] = Int(next()) }
    for field in Self.counterFields { counters[keyPath: field] = next() }
    for number in 0..<Source.limit {
      guard let source = Source(number: number) else { continue }
      tally[source] = Int(next())
    }
    for field in Self.laterFields { counters[keyPath: field] = next() }
  }
}

/// Encodes numbers as text.
enum NumberText {
  static func bytes(of numbers: [UInt64]) -> [UInt8] {
    Array(numbers.map(String.init).joined(separator: " ").utf8)
  }

  static func numbers(in bytes: [UInt8]) -> [UInt64] {
    bytes.split(separator: UInt8(ascii: " ")).compactMap {
      UInt64(String(decoding: $0, as: UTF8.self))
    }
  }
}
