import System

/// A part of the index: the places of many answers, sorted by key, in rows of the table `places`.
///
/// Rows are never changed. Of two runs the one with the newer answers counts.
struct Run {
  /// The places of one row: it lies in a page of 4096 bytes.
  static let rowCount = 250

  /// The number of the run, higher than those of all before it.
  var id: Int64

  /// The last chunk that the run knows of.
  var newest: Int64

  /// The first of its rows.
  var first: Int64

  /// The places in it.
  var count: Int64

  /// The first key of each row, in ascending order.
  var fences: [Int64]

  /// The rows in it.
  var rows: Range<Int64> { first..<first + Int64(fences.count) }

  /// What tells a whole row of the table `runs`.
  var checksum: Int64 {
    var hash = Checksum()
    for number in [id, newest, first, count] + fences {
      hash.update(word: UInt64(bitPattern: number))
    }
    return Int64(bitPattern: hash.value)
  }

  /// The row that must hold a key if any does.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - start: A row that does not lie behind it.
  /// - Returns: `nil` where the key lies before all rows.
  func row(of key: Int64, from start: Int) -> Int? {
    guard let lowest = fences.first, key >= lowest else { return nil }
    // Sorted keys lie close together, or else far away.
    var (low, step) = (start, 1)
    while low + step < fences.count, fences[low + step] <= key {
      low += step
      step *= 2
    }
    var high = min(low + step, fences.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if fences[middle] <= key { low = middle } else { high = middle }
    }
    return low
  }
}

/// Places sorted by key, as they are in a row: all keys, then all places, in eight bytes each.
enum RunRow {
  /// The number of places; what cannot be a row has none.
  static func count(_ bytes: Span<UInt8>) -> Int {
    bytes.count.isMultiple(of: 16) ? bytes.count / 16 : 0
  }

  static func key(_ bytes: Span<UInt8>, at index: Int) -> Int64 { bytes.number(at: 8 * index) }

  static func place(_ bytes: Span<UInt8>, at index: Int) -> Place {
    Place(number: bytes.number(at: bytes.count / 2 + 8 * index))
  }

  /// The place of a key.
  ///
  /// - Parameters:
  ///   - bytes: The row.
  ///   - key: The key.
  ///   - start: Where to begin: where the last key was found, if they are looked for in order.
  /// - Returns: `Place.none` where it is missing.
  static func place(_ bytes: Span<UInt8>, of key: Int64, from start: inout Int) -> Place {
    let count = count(bytes)
    var (low, high) = (start, count)
    while low < high {
      let middle = (low &+ high) / 2
      if self.key(bytes, at: middle) < key { low = middle &+ 1 } else { high = middle }
    }
    start = low
    return low < count && self.key(bytes, at: low) == key ? place(bytes, at: low) : .none
  }

  /// The bytes of a row.
  static func bytes(of entries: [(key: Int64, place: Place)]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16 * entries.count)
    for entry in entries { bytes.append(number: entry.key) }
    for entry in entries { bytes.append(number: entry.place.number) }
    return bytes
  }

  /// What tells a whole row of the table `places`.
  static func checksum(_ id: Int64, _ bytes: Span<UInt8>) -> Int64 {
    var hash = Checksum()
    hash.update(bytes)
    hash.update(word: UInt64(bitPattern: id))
    return Int64(bitPattern: hash.value)
  }
}
