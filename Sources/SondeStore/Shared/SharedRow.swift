import SondeSystem

/// A row of the ledger in its form on a server: a pure value.
///
/// The server may lose it, or its last changes, by a restart or by being emptied. Then it is
/// unknown how much of the quota is spent.
struct SharedRow: Equatable {
  private static let version: Int64 = 1

  /// The creation time by the server's clock.
  let born: Duration
  /// The run of the server in which it was written.
  let run: UInt64
  let state: [UInt8]

  init(born: Duration, run: UInt64, state: [UInt8]) {
    (self.born, self.run, self.state) = (born, run, state)
  }

  /// Decodes a row; `nil` if there is none or it is damaged.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 32 else { return nil }
    let span = bytes.span
    guard span.number(at: 0) == Self.version,
      span.number(at: bytes.count - 8) == Self.checksum(bytes.dropLast(8))
    else { return nil }
    born = .nanoseconds(span.number(at: 8) as Int64)
    run = span.number(at: 16)
    state = Array(bytes[24..<bytes.count - 8])
  }

  var bytes: [UInt8] {
    let (seconds, attoseconds) = born.components
    var bytes: [UInt8] = []
    bytes.append(number: Self.version)
    bytes.append(number: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    bytes.append(number: Int64(bitPattern: run))
    bytes += state
    bytes.append(number: Int64(bitPattern: Self.checksum(bytes[...])))
    return bytes
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    Checksum.of(Array(bytes).span)
  }

  /// The latest moment at which content may have been lost, or `nil` if no loss is detected; `seen`
  /// is the creation time of the row that this process has seen, if any.
  static func loss(of row: SharedRow?, seen: Duration?, run: UInt64, now: Duration) -> Duration? {
    // The first user of an empty server need not wait.
    guard let row else { return seen.map { _ in now } }
    // The last writes before a restart may be missing.
    if row.run != run { return now }
    // Another process has created it again; nothing can have been lost after that.
    return seen.map { $0 != row.born } == true ? min(row.born, now) : nil
  }
}
