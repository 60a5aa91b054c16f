import SondeSystem

/// A hash of an email as typed, under which attempts to log in are counted.
///
/// It does not reveal whether the account exists, its size is fixed, and its key is private to the
/// process, so that nobody can construct collisions.
struct AccountMark: Hashable {
  private static let key = KeyedHash(key: KeyedHash.randomKey())

  private let high: UInt64
  private let low: UInt64

  init(_ email: String) {
    let hash = Self.key?.hash(Array(email.utf8)) ?? []
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    high = word(hash.prefix(8))
    low = word(hash.dropFirst(8).prefix(8))
  }
}
