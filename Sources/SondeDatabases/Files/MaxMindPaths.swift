import SondeRecords

/// The paths to the values in the records of an MMDB, as a tree of the keys in its maps.
///
/// Items of a list have the path of the list.
struct MaxMindPaths {
  /// The only key of a map `names`, whose keys are languages.
  private static let language = Array("en".utf8)
  private static let namesKey = Array("names".utf8)

  private struct Node {
    let parent: Int
    let key: [UInt8]
    /// The children in the order in which they were found, which is mostly that of each record.
    var children: [Int] = []
    /// The child of each key.
    var numbers: [[UInt8]: Int] = [:]
    /// The form of its values; `nil` for none.
    var form: AddedColumn.Form?
    /// The column that it is; `nil` if it is none.
    var column: Int?
    /// Whether a column is below it.
    var leadsToColumn = false

    func isNamed(_ name: Span<UInt8>) -> Bool {
      guard key.count == name.count else { return false }
      for index in name.indices where name[index] != key[index] { return false }
      return true
    }
  }

  private var nodes = [Node(parent: 0, key: [])]
  private var reader = MaxMindReader()

  // MARK: - Finding all paths

  /// Adds the paths of a record.
  mutating func add(recordAt offset: Int, in data: Span<UInt8>) throws(MaxMindReader.Damage) {
    reader = MaxMindReader()
    var offset = offset
    try add(at: &offset, node: 0, isListed: false, depth: 0, in: data)
  }

  /// The most maps and lists within one another.
  private static let deepest = 64

  private mutating func add(
    at offset: inout Int,
    node: Int,
    isListed: Bool,
    depth: Int,
    in data: Span<UInt8>
  ) throws(MaxMindReader.Damage) {
    guard depth <= Self.deepest else {
      throw MaxMindReader.Damage(reason: "a record is nested too deeply")
    }
    let value = try reader.value(in: data, at: &offset)
    switch value {
    case .map(let count, let contents):
      var (inner, place) = (contents ?? offset, 0)
      for _ in 0..<count {
        let key = data.extracting(try reader.key(in: data, at: &inner))
        if let child = known(key, of: node, at: &place) ?? child(of: node, for: key) {
          try add(at: &inner, node: child, isListed: isListed, depth: depth + 1, in: data)
        } else {
          try reader.skip(in: data, at: &inner)
        }
      }
      if contents == nil { offset = inner }
    case .list(let count, let contents):
      var inner = contents ?? offset
      for _ in 0..<count {
        try add(at: &inner, node: node, isListed: true, depth: depth + 1, in: data)
      }
      if contents == nil { offset = inner }
    default:
      guard let form = value.form else { return }
      let known = nodes[node].form
      nodes[node].form = isListed || known.map { $0 != form } == true ? .text : form
    }
  }

  /// The node of a new key, which is created; `nil` for the names in other languages.
  private mutating func child(of node: Int, for key: Span<UInt8>) -> Int? {
    let key = key.indices.map { key[$0] }
    if nodes[node].key == Self.namesKey, key != Self.language { return nil }
    nodes.append(Node(parent: node, key: key))
    nodes[node].children.append(nodes.count - 1)
    nodes[node].numbers[key] = nodes.count - 1
    return nodes.count - 1
  }

  /// The most children that are compared one after the other.
  private static let few = 64

  /// The node of a key; `nil` if there is none.
  ///
  /// `place` is where the next key of the same map is looked for first.
  private func known(_ key: Span<UInt8>, of node: Int, at place: inout Int) -> Int? {
    let count = nodes[node].children.count
    guard count <= Self.few else { return nodes[node].numbers[key.indices.map { key[$0] }] }
    for _ in 0..<count {
      if place >= count { place = 0 }
      let child = nodes[node].children[place]
      place += 1
      if nodes[child].isNamed(key) { return child }
    }
    return nil
  }

  // MARK: - Columns

  /// The paths that have values, in their order, each with the form of its values.
  var all: [(path: String, form: AddedColumn.Form)] {
    nodes.indices.compactMap { node in nodes[node].form.map { (path(to: node), $0) } }
      .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
  }

  private func path(to node: Int) -> String {
    var (node, keys) = (node, [String]())
    while node != 0 {
      let key = nodes[node].key
      keys.append(String(decoding: repaired(key.span), as: UTF8.self))
      node = nodes[node].parent
    }
    return keys.reversed().joined(separator: ".")
  }

  /// Makes columns of paths, in this order.
  mutating func choose(_ paths: [String]) {
    for node in nodes.indices where nodes[node].form != nil {
      guard let column = paths.firstIndex(of: path(to: node)) else { continue }
      nodes[node].column = column
      var above = node
      repeat {
        nodes[above].leadsToColumn = true
        above = nodes[above].parent
      } while above != 0
    }
    nodes[0].leadsToColumn = true
  }

  // MARK: - Values

  /// Reads the values of a record, one per column; several at one path are joined by `|`.
  func values(
    ofRecordAt offset: Int,
    in data: Span<UInt8>,
    into columns: inout [[UInt8]]
  ) throws(MaxMindReader.Damage) {
    var (reader, offset) = (MaxMindReader(), offset)
    for column in columns.indices { columns[column].removeAll(keepingCapacity: true) }
    try read(at: &offset, node: 0, &reader, in: data, into: &columns)
  }

  private func read(
    at offset: inout Int,
    node: Int,
    _ reader: inout MaxMindReader,
    in data: Span<UInt8>,
    into columns: inout [[UInt8]]
  ) throws(MaxMindReader.Damage) {
    let value = try reader.value(in: data, at: &offset)
    switch value {
    case .map(let count, let contents):
      var (inner, place) = (contents ?? offset, 0)
      for _ in 0..<count {
        let key = data.extracting(try reader.key(in: data, at: &inner))
        if let child = known(key, of: node, at: &place), nodes[child].leadsToColumn {
          try read(at: &inner, node: child, &reader, in: data, into: &columns)
        } else {
          try reader.skip(in: data, at: &inner)
        }
      }
      if contents == nil { offset = inner }
    case .list(let count, let contents):
      var inner = contents ?? offset
      for _ in 0..<count {
        try read(at: &inner, node: node, &reader, in: data, into: &columns)
      }
      if contents == nil { offset = inner }
    default:
      guard let column = nodes[node].column else { return }
      value.append(to: &columns[column], from: data)
    }
  }
}

extension MaxMindReader {
  /// The position of the text of a map's key.
  fileprivate mutating func key(
    in data: Span<UInt8>,
    at offset: inout Int
  ) throws(Damage) -> Range<Int> {
    guard case .text(let range) = try value(in: data, at: &offset) else {
      throw Damage(reason: "a key is not a text")
    }
    return range
  }
}

extension MaxMindReader.Value {
  /// The form of a scalar as a column; `nil` for none.
  fileprivate var form: AddedColumn.Form? {
    switch self {
    case .map, .list, .other: nil
    case .text, .wide, .bytes: .text
    case .number, .single, .integer, .signed: .number
    case .flag: .flag
    }
  }

  /// Appends a scalar as text, behind `|` if it is not the first and none of the texts before it.
  fileprivate func append(to column: inout [UInt8], from data: Span<UInt8>) {
    if column.isEmpty, case .text(let range) = self {
      let text = column.append(repairing: data.extracting(range))
      return column.removeLast(column.count - Int(text.count))
    }
    let text = text(from: data)
    guard !text.isEmpty else { return }
    if column.isEmpty {
      column = text
    } else if !column.split(separator: UInt8(ascii: "|")).contains(text[...]) {
      column += [UInt8(ascii: "|")] + text
    }
  }

  /// Bytes are hexadecimal digits; a number that is none in JSON is missing.
  private func text(from data: Span<UInt8>) -> [UInt8] {
    switch self {
    case .map, .list, .other: return []
    case .text(let range): return repaired(data.extracting(range))
    case .bytes(let range):
      let digits = Array("0123456789abcdef".utf8)
      return range.flatMap { [digits[Int(data[$0] >> 4)], digits[Int(data[$0] & 15)]] }
    case .number(let number): return number.isFinite ? Array("\(number)".utf8) : []
    case .single(let number): return number.isFinite ? Array("\(number)".utf8) : []
    case .integer(let number): return Array("\(number)".utf8)
    case .signed(let number): return Array("\(number)".utf8)
    case .wide(let number): return Array("\(number)".utf8)
    case .flag(let isSet): return Array((isSet ? "true" : "false").utf8)
    }
  }
}

/// A text of a database as valid UTF-8 without control characters.
private func repaired(_ text: Span<UInt8>) -> [UInt8] {
  var bytes: [UInt8] = []
  let range = bytes.append(repairing: text)
  return Array(bytes.prefix(Int(range.count)))
}
