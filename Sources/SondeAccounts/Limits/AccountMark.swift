import SondeSystem

/// What an account is counted under: a hash of what was typed as its email.
///
/// It tells nothing of whether there is such an account, is small however long the text was, and its
/// key is this process's alone, so that nobody can look for two texts with the same mark.
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
