import SondeAsking
public import SondeOutputs
public import SondeRecords

/// The counts of a scan: the results of its entries, and the requests sent.
public struct ScanCounts: Sendable, Equatable {
  /// The results of the entries.
  public var tally = Tally()

  /// What was sent and lost, by all runs together.
  public var counters = RunCounters()

  /// The counts, as a `summary` event has them.
  public var json: JSONObject {
    var object = JSONObject()
    object.add(tally)
    object.add(counters)
    return object
  }
}

extension Tally {
  /// The addresses among the records.
  var addresses: Int { records - invalid }
}

// MARK: - On the disk

extension ScanCounts {
  private static let fields: [any WritableKeyPath<Tally, Int> & Sendable] = [
    \.entries, \.duplicates, \.ok, \.unknown, \.reserved, \.invalid, \.failed, \.networkLost,
    \.cached,
  ]
  private static let counterFields: [any WritableKeyPath<RunCounters, UInt64> & Sendable] = [
    \.requests, \.throttled, \.losses, \.offline, \.elapsed,
  ]
  /// They stand last, as earlier versions did not know them.
  private static let laterFields: [any WritableKeyPath<RunCounters, UInt64> & Sendable] = [
    \.ownerRequests, \.ownerThrottled,
  ]

  /// The counts as numbers in a fixed order.
  var numbers: [UInt64] {
    Self.fields.map { UInt64(clamping: tally[keyPath: $0]) }
      + Self.counterFields.map { counters[keyPath: $0] }
      + tally.sources.map { UInt64(clamping: $0) }
      + Self.laterFields.map { counters[keyPath: $0] }
  }

  /// Takes the counts back; what is missing is 0.
  init(numbers: [UInt64]) {
    var rest = numbers[...]
    // So bounded that any sum of them is a number.
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

/// Numbers as a text, and back.
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
