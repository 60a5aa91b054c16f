import SondeAddresses
import TestSupport

/// Builds small MMDB files (https://maxmind.github.io/MaxMind-DB/).
struct MaxMindFile {
  /// A value of the data section.
  indirect enum Value {
    case map(KeyValuePairs<String, Value>)
    case list([Value])
    case text(String)
    case double(Double), float(Float)
    case unsigned16(UInt16), unsigned32(UInt32), unsigned64(UInt64)
    case flag(Bool)
    /// A pointer to an offset of the data section.
    case pointer(Int)
    /// Bytes as they are.
    case raw([UInt8])
  }

  private enum Branch {
    case empty
    case node(Int)
    case entry(Int)
  }

  var databaseType = "Test"
  var recordSize = 24
  var ipVersion = 6
  var buildDate: UInt64 = 1_700_000_000
  /// Takes the place of the metadata's own `languages`.
  var languages = Value.list([.text("en")])

  private var nodes: [[Branch]] = [[.empty, .empty]]
  private var data: [UInt8] = []
  private var offsets: [Int] = []

  init(_ databaseType: String = "Test", recordSize: Int = 24, ipVersion: Int = 6) {
    self.databaseType = databaseType
    self.recordSize = recordSize
    self.ipVersion = ipVersion
  }

  /// The offset that the next record will have, for pointers.
  var nextOffset: Int { data.count }

  /// Adds a network, wider ones first, with its record.
  mutating func add(_ network: String, _ value: Value) {
    let parts = network.split(separator: "/")
    offsets.append(data.count)
    Self.encode(value, to: &data)
    let base = address(String(parts[0]))
    let length = Int(parts[1]) ?? 0
    let isIPv4 = base.isIPv4
    // IPv4 lies in ::/96 of an IPv6 tree.
    let bits: [Bool] = (0..<(isIPv4 ? 32 : 128)).map { index in
      let position = isIPv4 ? index + 96 : index
      let half = position < 64 ? base.high : base.low
      return half >> UInt64(63 - position % 64) & 1 == 1
    }
    let lead = isIPv4 && ipVersion == 6 ? [Bool](repeating: false, count: 96) : []
    insert(lead + bits.prefix(length), entry: offsets.count - 1)
  }

  /// Lets an IPv6 network lead to where IPv4 begins, as MaxMind does for 6to4 and others.
  mutating func alias(_ network: String) {
    var root = 0
    for _ in 0..<96 { if case .node(let next) = nodes[root][0] { root = next } }
    add(network, .map([:]))
    let entry = offsets.count - 1
    for node in nodes.indices {
      for side in 0...1 {
        if case .entry(entry) = nodes[node][side] { nodes[node][side] = .node(root) }
      }
    }
  }

  private mutating func insert(_ bits: [Bool], entry: Int) {
    var node = 0
    for bit in bits.dropLast() {
      let side = bit ? 1 : 0
      switch nodes[node][side] {
      case .node(let next): node = next
      case let other:
        nodes.append([other, other])
        nodes[node][side] = .node(nodes.count - 1)
        node = nodes.count - 1
      }
    }
    nodes[node][bits.last == true ? 1 : 0] = .entry(entry)
  }

  /// The bytes of the file.
  func bytes() -> [UInt8] {
    var file: [UInt8] = []
    for node in nodes { append(node.map(number), to: &file) }
    file += [UInt8](repeating: 0, count: 16) + data
    file += [0xab, 0xcd, 0xef] + Array("MaxMind.com".utf8)
    Self.encode(metadata, to: &file)
    return file
  }

  private var metadata: Value {
    .map([
      "node_count": .unsigned32(UInt32(nodes.count)),
      "record_size": .unsigned16(UInt16(recordSize)),
      "ip_version": .unsigned16(UInt16(ipVersion)), "database_type": .text(databaseType),
      "languages": languages, "binary_format_major_version": .unsigned16(2),
      "binary_format_minor_version": .unsigned16(0), "build_epoch": .unsigned64(buildDate),
      "description": .map(["en": .text("test data")]),
    ])
  }

  private func number(_ branch: Branch) -> Int {
    switch branch {
    case .empty: nodes.count
    case .node(let index): index
    case .entry(let index): nodes.count + 16 + offsets[index]
    }
  }

  private func append(_ pair: [Int], to file: inout [UInt8]) {
    let (left, right) = (pair[0], pair[1])
    switch recordSize {
    case 24: file += Self.bigEndian(left, 3) + Self.bigEndian(right, 3)
    case 28:
      file += Self.bigEndian(left & 0xff_ffff, 3)
      file += [UInt8((left >> 24) << 4 | right >> 24)] + Self.bigEndian(right & 0xff_ffff, 3)
    default: file += Self.bigEndian(left, 4) + Self.bigEndian(right, 4)
    }
  }

  private static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  static func encode(_ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .map(let entries):
      head(7, entries.count, to: &bytes)
      for (key, value) in entries {
        encode(.text(key), to: &bytes)
        encode(value, to: &bytes)
      }
    case .list(let items):
      head(11, items.count, to: &bytes)
      for item in items { encode(item, to: &bytes) }
    case .text(let text):
      head(2, text.utf8.count, to: &bytes)
      bytes += text.utf8
    case .double(let number):
      head(3, 8, to: &bytes)
      bytes += bigEndian(Int(bitPattern: UInt(number.bitPattern)), 8)
    case .float(let number):
      head(15, 4, to: &bytes)
      bytes += bigEndian(Int(number.bitPattern), 4)
    case .unsigned16(let number): encode(number, type: 5, to: &bytes)
    case .unsigned32(let number): encode(number, type: 6, to: &bytes)
    case .unsigned64(let number): encode(number, type: 9, to: &bytes)
    case .flag(let flag): head(14, flag ? 1 : 0, to: &bytes)
    case .pointer(let offset):
      // Of the four widths, by the first that holds the offset.
      if offset < 2048 {
        bytes += [UInt8(0x20 | offset >> 8), UInt8(offset & 255)]
      } else if offset < 526_336 {
        bytes += [UInt8(0x28 | (offset - 2048) >> 16)] + bigEndian((offset - 2048) & 0xffff, 2)
      } else {
        bytes += [0x38] + bigEndian(offset, 4)
      }
    case .raw(let raw): bytes += raw
    }
  }

  private static func encode(_ number: some BinaryInteger, type: Int, to bytes: inout [UInt8]) {
    let digits = bigEndian(Int(number), 8).drop { $0 == 0 }
    head(type, digits.count, to: &bytes)
    bytes += digits
  }

  /// A control byte with the type and size, both possibly extended.
  static func head(_ type: Int, _ size: Int, to bytes: inout [UInt8]) {
    let (short, extra): (Int, [UInt8]) =
      switch size {
      case ..<29: (size, [])
      case ..<285: (29, bigEndian(size - 29, 1))
      case ..<65_821: (30, bigEndian(size - 285, 2))
      default: (31, bigEndian(size - 65_821, 3))
      }
    bytes += type > 7 ? [UInt8(short), UInt8(type - 7)] : [UInt8(type << 5 | short)]
    bytes += extra
  }
}
