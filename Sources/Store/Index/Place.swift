import Addresses

/// Where an answer lies: a chunk, and a position in it.
struct Place: Hashable, Sendable, Comparable {
  /// The number as it is on the disk.
  let number: Int64

  /// No place.
  static let none = Place(number: 0)

  /// The highest number of a chunk.
  static let lastChunk: Int64 = 1 << 54

  init(number: Int64) { self.number = number }

  init(chunk: Int64, position: Int) {
    number = chunk << 8 | Int64(position)
  }

  var chunk: Int64 { number >> 8 }

  var position: Int { Int(number & 255) }

  static func < (left: Place, right: Place) -> Bool { left.number < right.number }
}

extension Address {
  /// What the address has in the index under a scope.
  ///
  /// IPv4 addresses keep their order, so that those of a sorted list lie together. Of an IPv6 address
  /// it is a hash: the answer itself tells whether it is the one meant.
  @inline(__always)
  func key(inScope scope: Int64) -> Int64 {
    if let ipv4 { return scope << 32 | Int64(ipv4) }
    var product = (high ^ UInt64(bitPattern: scope) ^ 0x9e37_79b9_7f4a_7c15)
      .multipliedFullWidth(by: 0xbf58_476d_1ce4_e5b9)
    product = (product.high ^ product.low ^ low).multipliedFullWidth(by: 0x94d0_49bb_1331_11eb)
    return Int64(bitPattern: product.high ^ product.low | 1 << 63)
  }

  /// The highest number of a scope.
  static let lastScope: Int64 = 1 << 30
}
