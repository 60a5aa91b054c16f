import SondeAddresses
import SondeCatalog
import SondeInputs
import SondeRecords
import SondeSystem
import SondeTables

/// Reads the networks of a JSON value (RFC 8259) of any shape.
///
/// Each object that has a network, or the first and the last address of a range, is a row: its other
/// scalars and lists are the values, and the scalars of the objects around it, the nearest first, but
/// those of the document's own. Each array
/// of texts that are all networks is a list, named by the array. So the lists of clouds are read:
/// - AWS (https://docs.aws.amazon.com/vpc/latest/userguide/aws-ip-syntax.html): `prefixes` with
///   `ip_prefix`, `region` and `service`, `ipv6_prefixes` with `ipv6_prefix` and the same.
/// - Google (https://www.gstatic.com/ipranges/cloud.json): `prefixes` with `ipv4Prefix` or
///   `ipv6Prefix`, and in that of its cloud `service` and `scope`.
/// - Azure (https://www.microsoft.com/download/details.aspx?id=56519): `values` with `name` and
///   `properties`, which have `region`, `systemService` and `addressPrefixes`.
struct TableJSON {
  /// A faulty row, and where it is.
  struct Fault: Error {
    let place: Int
    let reason: String
  }

  /// A value of a row: its name, and where it is in the text.
  private struct Value {
    let name: String
    /// Its name in the text, which has other characters if its column was renamed.
    let original: String
    let place: Int
  }

  /// The names that may also mean something other than a network.
  private static let looseKeys = Set(CellLayout.usualKeys)
  /// The pair whose numbers may mean anything, so that only texts are read as addresses.
  private static let loosePair = "start"
  private static let strictKeys: Set = ["ip_prefix", "ipv6_prefix", "ipv4Prefix", "ipv6Prefix"]
  /// The array of an Azure tag, whose texts can only be networks.
  private static let strictList = "addressPrefixes"
  /// The most objects and arrays within one another.
  private static let deepest = 64
  private static let mostColumns = 200
  /// The longest string, in bytes, as for a provider's text.
  private static let longestString = 1 << 10

  private let key: String?
  /// The chosen columns; `nil` for all, in the order in which they come.
  private let chosen: [ListColumn]?
  /// The place of each column.
  private var places: [String: Int] = [:]
  /// The original names of columns, where they may have been renamed.
  private var originals: [String: String] = [:]
  /// The columns that members of two names would have, with these.
  private var clashes: [String: (String, String)] = [:]

  /// The names of all values that rows have had.
  private(set) var names: Set<String> = []
  private(set) var faults: [Fault] = []
  var rows: TableAssembly

  init(key: String?, columns chosen: [ListColumn]?, without excluded: NetworkTable?) {
    (self.key, self.chosen) = (key, chosen)
    rows = TableAssembly(columns: chosen?.map(\.name) ?? [], without: excluded)
  }

  /// Reads the object or array at a position; returns its end, `nil` if it is no complete one.
  mutating func read(
    _ text: Span<UInt8>,
    from start: Int
  ) throws(TableAssembly.Overflow) -> Int? {
    faults = []
    if text[start] == UInt8(ascii: "[") {
      guard let (elements, end) = JSONRow.array(of: text, from: start) else { return nil }
      try readArray(text, elements, named: nil, around: [], depth: 1)
      return end
    }
    var row = JSONRow()
    guard row.read(text, from: start) == .whole else { return nil }
    try readObject(text, row.members, around: nil, depth: 1)
    return row.end
  }

  // MARK: - Shapes

  private mutating func readValue(
    _ text: Span<UInt8>,
    at place: Int,
    named name: String?,
    around: [Value],
    depth: Int
  ) throws(TableAssembly.Overflow) {
    switch text[place] {
    case UInt8(ascii: "{"):
      var row = JSONRow()
      guard depth <= Self.deepest, row.read(text, from: place) == .whole else { return }
      try readObject(text, row.members, around: around, depth: depth + 1)
    case UInt8(ascii: "["):
      guard depth <= Self.deepest, let (elements, _) = JSONRow.array(of: text, from: place) else {
        return
      }
      try readArray(text, elements, named: name, around: around, depth: depth + 1)
    default: break
    }
  }

  /// Reads an object; around the document's own there is `nil`.
  private mutating func readObject(
    _ text: Span<UInt8>,
    _ members: [JSONRow.Member],
    around: [Value]?,
    depth: Int
  ) throws(TableAssembly.Overflow) {
    let values = members.map { member -> Value in
      let original = name(of: member, in: text)
      return Value(
        name: columnName(original),
        original: original,
        place: member.value.lowerBound
      )
    }
    if let (keys, networks) = networks(among: values, in: text) {
      let own = values.filter { !keys.contains($0.name) && text[$0.place] != UInt8(ascii: "{") }
      try append(networks, own + (around ?? []), in: text)
    }
    let scalars = values.filter { !text.isJSONContainer(at: $0.place) }
    let inner = around.map { scalars + $0 } ?? []
    for value in values {
      try readValue(text, at: value.place, named: value.name, around: inner, depth: depth)
    }
  }

  private mutating func readArray(
    _ text: Span<UInt8>,
    _ elements: [Int],
    named name: String?,
    around: [Value],
    depth: Int
  ) throws(TableAssembly.Overflow) {
    let texts = elements.prefix { text[$0] == UInt8(ascii: "\"") }.map { string(text, at: $0) }
    let networks = texts.map(Self.network)
    let isStrict = name == Self.strictList
    if networks.count == elements.count, isStrict || !networks.contains(nil) {
      for (index, network) in networks.enumerated() {
        if let network {
          try append([network], around, in: text, list: name)
        } else {
          note(texts[index], at: elements[index])
        }
      }
      return
    }
    for element in elements {
      try readValue(text, at: element, named: name, around: around, depth: depth)
    }
  }

  // MARK: - Networks

  /// The networks of an object, and the members that have them; a member whose name can only mean one,
  /// but has none, is a fault.
  private mutating func networks(
    among values: [Value],
    in text: Span<UInt8>
  ) -> (keys: [String], [AddressRange])? {
    for value in values where text[value.place] == UInt8(ascii: "\"") {
      let isStrict = value.name == key || key == nil && Self.strictKeys.contains(value.name)
      guard isStrict || key == nil && Self.looseKeys.contains(value.name) else { continue }
      let string = string(text, at: value.place)
      if let range = Self.network(string) { return ([value.name], [range]) }
      if isStrict { note(string, at: value.place) }
    }
    return key == nil ? range(among: values, in: text) : nil
  }

  /// The range of an object of which two members are its ends, and these; one that ends before it
  /// begins is a fault.
  private mutating func range(
    among values: [Value],
    in text: Span<UInt8>
  ) -> (keys: [String], [AddressRange])? {
    for (first, last) in CellLayout.pairs {
      guard let start = values.first(where: { $0.name == first }),
        let end = values.first(where: { $0.name == last }),
        ![start, end].contains(where: { text.isJSONContainer(at: $0.place) })
      else { continue }
      let (low, high) = (scalar(text, at: start.place).bytes, scalar(text, at: end.place).bytes)
      let areTexts = [low, high].allSatisfy { Self.network($0) != nil }
      let areNumbers = [low, high].allSatisfy { bytes in
        !bytes.isEmpty && bytes.allSatisfy { 0x30...0x39 ~= $0 }
      }
      guard areTexts || areNumbers && first != Self.loosePair else { continue }
      do throws(CellLayout.Problem) {
        let found = try AddressRange.ranges(from: low.span, through: high.span)
        return ([first, last], found.ranges)
      } catch {
        faults.append(Fault(place: start.place, reason: error.reason))
      }
    }
    return nil
  }

  /// Notes a text that should be a network.
  private mutating func note(_ text: [UInt8], at place: Int) {
    let word = escapedForPerson(String(decoding: text, as: UTF8.self))
    faults.append(Fault(place: place, reason: "'\(word)' is no network"))
  }

  private static func network(_ text: [UInt8]) -> AddressRange? {
    switch ListItem.parse(operand: text.span) {
    case .address(let address, _): AddressRange(alone: address)
    case .range(let range): range
    case .nothing, .invalid: nil
    }
  }

  // MARK: - Values

  private mutating func append(
    _ networks: [AddressRange],
    _ values: [Value],
    in text: Span<UInt8>,
    list: String? = nil
  ) throws(TableAssembly.Overflow) {
    var found: [String: (bytes: [UInt8], kind: ValueKind)] = [:]
    if let list { found["list"] = (Array(list.utf8), .text) }
    for value in values {
      let isKnown = found[value.name] != nil
      if isKnown, value.original == originals[value.name, default: value.name] { continue }
      let scalar = scalar(text, at: value.place)
      guard !scalar.bytes.isEmpty else { continue }
      noteOriginal(of: value)
      if !isKnown { found[value.name] = scalar }
    }
    names.formUnion(found.keys)
    if let chosen {
      for column in chosen {
        let member = column.members.first { found[$0] != nil }
        let value = member.flatMap { found[$0] } ?? column.firstWord(of: found)
        let bytes = value?.bytes ?? []
        try rows.append(bytes.span, value?.kind ?? .text)
      }
    } else {
      let order = (list == nil ? [] : ["list"]) + values.map(\.name)
      for name in order where found[name] != nil && places[name] == nil {
        guard places.count < Self.mostColumns else { break }
        places[name] = places.count
        rows.append(column: name)
      }
      for name in rows.builder.columns {
        let bytes = found[name]?.bytes ?? []
        try rows.append(bytes.span, found[name]?.kind ?? .text)
      }
    }
    rows.end(networks)
  }

  /// The text of a scalar or of the scalars in a list; empty for any other value and null.
  private func scalar(_ text: Span<UInt8>, at place: Int) -> (bytes: [UInt8], kind: ValueKind) {
    switch text[place] {
    case UInt8(ascii: "\""): return (string(text, at: place), .text)
    case UInt8(ascii: "["):
      let elements = JSONRow.array(of: text, from: place)?.elements ?? []
      let scalars = elements.filter { !text.isJSONContainer(at: $0) }
      let texts = scalars.map { scalar(text, at: $0).bytes }
      var seen: Set<[UInt8]> = [[]]
      let distinct = texts.filter { seen.insert($0).inserted }
      return (Array(distinct.joined(separator: [UInt8(ascii: "|")])), .text)
    case UInt8(ascii: "{"), UInt8(ascii: "n"): return ([], .text)
    case UInt8(ascii: "t"): return (Array("true".utf8), .flag)
    case UInt8(ascii: "f"): return (Array("false".utf8), .flag)
    default:
      let end = (place..<text.count).first { !text[$0].isOfJSONNumber } ?? text.count
      return ((place..<end).map { text[$0] }, .number)
    }
  }

  /// Notes members of different names that would have the same column; its name has a `_` then.
  private mutating func noteOriginal(of value: Value) {
    guard value.name.utf8.contains(UInt8(ascii: "_")) else { return }
    let known = originals[value.name] ?? value.original
    if known != value.original { clashes[value.name] = (known, value.original) }
    originals[value.name] = known
  }

  private func name(of member: JSONRow.Member, in text: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    bytes.append(meaningOfJSON: text.extracting(member.name))
    return bytes.span.repaired(maximum: Self.longestString)
  }

  private func string(_ text: Span<UInt8>, at start: Int) -> [UInt8] {
    var end = start + 1
    while end < text.count, text[end] != UInt8(ascii: "\"") {
      end += text[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard end < text.count else { return [] }
    var meaning: [UInt8] = []
    meaning.append(meaningOfJSON: text.extracting(start + 1..<end))
    return Array(meaning.span.repaired(maximum: Self.longestString).utf8)
  }
}

extension TableJSON {
  /// Why its columns cannot be used: two would have the same name, or they are too many; `nil` if they can.
  func flaw(ofColumns choice: [String]?) -> String? {
    let names = choice ?? names.sorted()
    guard choice != nil || names.count <= Self.mostColumns else {
      return "has \(names.count) columns: name at most \(Self.mostColumns) of them, "
        + "as in NAME=FILE,columns=A,B"
    }
    var known: [String: String] = [:]
    for name in names {
      // Names that only differ in case would be the same column in a database.
      let other = known.updateValue(name, forKey: name.lowercased())
      guard let (first, second) = other.map({ ($0, name) }) ?? clashes[name] else { continue }
      return "'\(escapedForPerson(first))' and '\(escapedForPerson(second))' would be the same "
        + "column: choose others, as in NAME=FILE,columns=A,B"
    }
    return nil
  }
}

extension ListColumn {
  fileprivate func firstWord(
    of found: [String: (bytes: [UInt8], kind: ValueKind)]
  ) -> (bytes: [UInt8], kind: ValueKind)? {
    guard let name = firstWordOf, let value = found[name] else { return nil }
    return (Array(value.bytes.prefix { $0 != UInt8(ascii: ".") }), .text)
  }
}

extension Span<UInt8> {
  fileprivate func isJSONContainer(at place: Int) -> Bool {
    self[place] == UInt8(ascii: "{") || self[place] == UInt8(ascii: "[")
  }
}

extension UInt8 {
  fileprivate var isOfJSONNumber: Bool {
    switch self {
    case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
