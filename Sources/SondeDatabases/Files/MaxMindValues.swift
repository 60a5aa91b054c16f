/// The values in ``MaxMindValue`` that a record has.
struct MaxMindValues {
  private var values = InlineArray<28, MaxMindReader.Value>(repeating: .other)
  private var reader = MaxMindReader()

  init(at offset: Int, in data: Span<UInt8>, layout: MaxMindLayout) throws(MaxMindReader.Damage) {
    var offset = offset
    try read(node: 0, value: nil, of: layout, in: data, at: &offset)
  }

  /// The value; ``MaxMindReader/Value/other`` if the record has none.
  subscript(value: MaxMindValue) -> MaxMindReader.Value { values[value.rawValue] }

  /// Reads the value at `offset`; the depth of the layout limits the recursion.
  private mutating func read(
    node: Int?,
    value wanted: MaxMindValue?,
    of layout: MaxMindLayout,
    in data: Span<UInt8>,
    at offset: inout Int
  ) throws(MaxMindReader.Damage) {
    let start = offset
    let (count, contents, isMap): (Int, Int?, Bool)
    switch try reader.value(in: data, at: &offset) {
    case .map(let entries, let start): (count, contents, isMap) = (entries, start, true)
    case .list(let items, let start): (count, contents, isMap) = (items, start, false)
    case let value:
      if let wanted { take(value, as: wanted, in: data) }
      return
    }
    guard let node else {
      offset = start
      return try reader.skip(in: data, at: &offset)
    }
    var inner = contents ?? offset
    for index in 0..<count {
      var branch: (value: MaxMindValue?, node: Int?)?
      if isMap {
        guard case .text(let key) = try reader.value(in: data, at: &inner) else {
          throw MaxMindReader.Damage(reason: "a key is not a text")
        }
        branch = layout.branch(data.extracting(key), of: node)
      } else if index == 0, let first = layout.first(of: node) {
        // Only the first item of a list has a branch, `0`.
        branch = (nil, first)
      }
      if let branch {
        try read(node: branch.node, value: branch.value, of: layout, in: data, at: &inner)
      } else {
        try reader.skip(in: data, at: &inner)
      }
    }
    if contents == nil { offset = inner }
  }

  /// Keeps the first value, but of several flags a true one.
  private mutating func take(
    _ value: MaxMindReader.Value,
    as wanted: MaxMindValue,
    in data: Span<UInt8>
  ) {
    let value = wanted.isFlag ? Self.flag(value, in: data) : value
    switch (values[wanted.rawValue], value) {
    case (.other, _), (.flag(false), .flag(true)): values[wanted.rawValue] = value
    default: break
    }
  }

  /// Some of IPinfo's files have `"true"` and `""` instead of booleans.
  private static func flag(
    _ value: MaxMindReader.Value,
    in data: Span<UInt8>
  ) -> MaxMindReader.Value {
    guard case .text(let range) = value else { return value }
    return .flag(range.count == 4 && data[range.lowerBound] == UInt8(ascii: "t"))
  }
}
