/// The names of what lies on the server.
enum SharedKeys {
  static let salt = Array("sonde:salt".utf8)
  static let scopes = Array("sonde:scopes".utf8)
  /// There for a moment after the salt of an empty server was set.
  static let quiet = Array("sonde:quiet".utf8)
  /// When each answer came, by address.
  static let arrivals = Array("sonde:answers".utf8)

  /// Keys of no meaning, of each kind, on which it is tried whether they may be written.
  static let trial = [quota([]), answers([]), text([]), Array("sonde:trial".utf8)]

  /// The row of an account, whose hash this is.
  static func quota(_ hash: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return Array("sonde:quota:".utf8)
      + hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  /// What sources have found by one key, one text for each scope.
  static func text(_ key: [UInt8]) -> [UInt8] { Array("sonde:text:".utf8) + key }

  /// The answers about an address, one for each scope.
  static func answers(_ address: [UInt8]) -> [UInt8] { Array("sonde:answer:".utf8) + address }
}
