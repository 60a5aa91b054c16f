import SondeSystem

/// A row of the ledger as it lies on a server: a pure value.
///
/// The server may lose it, or what was done to it last: with a restart, or when somebody empties it.
/// Then nobody knows how much of the quota is spent.
struct SharedRow: Equatable {
  /// What two versions of Sonde must agree about.
  private static let version: Int64 = 1

  /// When it was made, by the server's clock.
  let born: Duration
  /// In which run of the server it was written.
  let run: UInt64
  /// What it holds.
  let state: [UInt8]

  /// Makes a row.
  init(born: Duration, run: UInt64, state: [UInt8]) {
    (self.born, self.run, self.state) = (born, run, state)
  }

  /// Reads a row; `nil` where there is none, or it is not as it was written.
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

  /// The row as it is written.
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

  /// When what it held was lost, at the latest; `nil` where nothing was, as far as anybody can tell.
  ///
  /// - Parameters:
  ///   - row: The row as it is now, if there is one.
  ///   - seen: When the row was made that this process has seen; `nil` where it has seen none.
  ///   - run: The server's present run.
  ///   - now: This moment, by the server's clock.
  /// - Returns: The moment.
  static func loss(of row: SharedRow?, seen: Duration?, run: UInt64, now: Duration) -> Duration? {
    // The first use of an empty server waits for nothing.
    guard let row else { return seen.map { _ in now } }
    // What was written last before a restart may be missing.
    if row.run != run { return now }
    // Another process has made it anew; nothing can have been lost after that.
    return seen.map { $0 != row.born } == true ? min(row.born, now) : nil
  }
}
