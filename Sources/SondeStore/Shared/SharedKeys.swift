/// The names of keys on the server.
///
/// Their hash tag puts all of them on one node of a cluster (Redis cluster specification, "Hash
/// tags").
enum SharedKeys {
  static let salt = Array("{sonde}:salt".utf8)
  static let scopes = Array("{sonde}:scopes".utf8)
  /// A key that exists for a moment after the salt of an empty server was set.
  static let quiet = Array("{sonde}:quiet".utf8)
  /// The arrival time of each answer, by address.
  static let arrivals = Array("{sonde}:answers".utf8)

  /// Unused keys of each kind, for testing write permissions.
  static let trial = [quota([]), answers([]), text([]), Array("{sonde}:trial".utf8)]

  /// The row of an account, by its hash.
  static func quota(_ hash: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return Array("{sonde}:quota:".utf8)
      + hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  /// The texts that sources found for a key, one per scope.
  static func text(_ key: [UInt8]) -> [UInt8] { Array("{sonde}:text:".utf8) + key }

  /// The answers about an address, one per scope.
  static func answers(_ address: [UInt8]) -> [UInt8] { Array("{sonde}:answer:".utf8) + address }
}
