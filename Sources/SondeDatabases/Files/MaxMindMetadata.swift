/// Checks what libmaxminddb trusts in a file's metadata before opening it.
///
/// libmaxminddb 1.7 follows nested and repeated values there without a limit, and computes the size
/// of the search tree in 32 bits, so a hostile file could crash it.
enum MaxMindMetadata {
  /// The deepest nesting of values that is accepted; the format itself uses two levels.
  private static let maximumDepth = 8

  /// The bytes between the search tree and the data.
  private static let separatorSize = 16

  /// Checks the metadata that begins at `start`, and that the search tree ends before it.
  static func check(_ file: borrowing DatabaseFile, from start: Int) throws(DatabaseError) {
    let bytes = try file.read(at: start, count: file.size - start)
    do throws(MaxMindReader.Damage) {
      try check(bytes.span, upTo: start)
    } catch {
      throw DatabaseError(path: file.path, reason: .damaged("\(error.reason), in the metadata"))
    }
  }

  private static func check(_ data: Span<UInt8>, upTo end: Int) throws(MaxMindReader.Damage) {
    var reader = MaxMindReader()
    var offset = 0
    try check(data, at: &offset, by: &reader, depth: 0)
    let values = try MaxMindValues(at: 0, in: data, layout: .metadata)
    guard case .integer(let nodes) = values[.nodeCount],
      case .integer(let bits) = values[.recordSize]
    else { throw MaxMindReader.Damage(reason: "the size of the search tree is missing") }
    // Two records per node.
    guard [24, 28, 32].contains(bits), nodes <= UInt64(UInt32.max),
      Int(nodes) * Int(bits) / 4 + separatorSize <= end
    else { throw MaxMindReader.Damage(reason: "the search tree is larger than the file") }
  }

  /// Checks a value and everything in it, following all pointers.
  private static func check(
    _ data: Span<UInt8>,
    at offset: inout Int,
    by reader: inout MaxMindReader,
    depth: Int
  ) throws(MaxMindReader.Damage) {
    guard depth <= maximumDepth else {
      throw MaxMindReader.Damage(reason: "values are nested too deeply")
    }
    let (count, contents): (Int, Int?)
    switch try reader.value(in: data, at: &offset) {
    case .map(let entries, let start): (count, contents) = (entries * 2, start)
    case .list(let items, let start): (count, contents) = (items, start)
    default: return
    }
    var inner = contents ?? offset
    for _ in 0..<count { try check(data, at: &inner, by: &reader, depth: depth + 1) }
    if contents == nil { offset = inner }
  }
}
