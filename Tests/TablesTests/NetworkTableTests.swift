import SondeAddresses
import TestSupport
import Testing

@testable import SondeTables

/// A table of rows: a network, and its values.
private func table(_ columns: [String], _ rows: [(String, [String])]) throws -> NetworkTable {
  var builder = NetworkTable.Builder(columns: columns)
  for (network, values) in rows {
    for value in values {
      let bytes = Array(value.utf8)
      let isKept = builder.append(value: bytes.span)
      #expect(isKept)
    }
    builder.append(try #require(Prefix(text: network)))
  }
  return builder.table()
}

extension Prefix {
  /// Reads an address, a block or a range as lists have it.
  init?(text: String) {
    switch ListItem.parse(operand: Array(text.utf8).span) {
    case .address(let address, _): self.init(holding: address, length: address.isIPv4 ? 32 : 128)
    case .range(let range): self.init(range)
    case .nothing, .invalid: return nil
    }
  }
}

@Suite struct NetworkTableTests {
  private func found(_ address: String, in table: NetworkTable) throws -> String {
    guard let match = table.match(try #require(Address(address))) else { return "-" }
    let values = table.columns.indices.map { table.text($0, of: match) }
    return ([match.prefix.description] + values).joined(separator: " ")
  }

  @Test(
    arguments: [
      ("10.1.2.3", "10.1.2.3/32 host"), ("10.1.2.4", "10.1.2.0/24 lab"),
      ("10.1.3.0", "10.1.0.0/16 site"), ("10.2.0.0", "10.0.0.0/8 all"), ("11.0.0.0", "-"),
      ("9.255.255.255", "-"), ("10.255.255.255", "10.0.0.0/8 all"),
      ("2001:db8::1", "2001:db8::/32 six"),
      ("2001:db9::", "-"), ("::ffff:10.1.2.3", "10.1.2.3/32 host"),
      ("255.255.255.255", "255.255.255.255/32 end"),
      ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"), ("::", "-"),
    ]
  ) func `the longest prefix wins`(address: String, answer: String) throws {
    let table = try table(
      ["name"],
      [
        ("10.1.2.3", ["host"]), ("10.0.0.0/8", ["all"]), ("10.1.2.77/24", ["lab"]),
        ("10.1.0.0/16", ["site"]), ("2001:db8::5/32", ["six"]), ("255.255.255.255", ["end"]),
      ]
    )
    #expect(try found(address, in: table) == answer)
  }

  @Test func `values of one prefix are joined in the order of the table, each once`() throws {
    let table = try table(
      ["service", "region"],
      [
        ("1.0.0.0/24", ["AMAZON", "eu"]), ("2.0.0.0/8", ["", ""]), ("1.0.0.9/24", ["S3", ""]),
        ("1.0.0.0/24", ["AMAZON", "eu"]), ("1.0.0.0/25", ["EC2", "us"]), ("2.0.0.0/8", ["", "x"]),
      ]
    )
    #expect(table.count == 3)
    #expect(try found("1.0.0.200", in: table) == "1.0.0.0/24 AMAZON|S3 eu")
    #expect(try found("1.0.0.1", in: table) == "1.0.0.0/25 EC2 us")
    #expect(try found("2.0.0.1", in: table) == "2.0.0.0/8  x")
  }

  @Test func `everything of a family is one network, the other family another`() throws {
    let table = try table(
      ["n"],
      [("::/0", ["6"]), ("0.0.0.0/0", ["4"]), ("128.0.0.0/1", ["high"])]
    )
    #expect(try found("0.0.0.0", in: table) == "0.0.0.0/0 4")
    #expect(try found("255.255.255.255", in: table) == "128.0.0.0/1 high")
    #expect(try found("::", in: table) == "::/0 6")
    #expect(try found("ffff::1", in: table) == "::/0 6")
  }

  @Test func `an empty table holds nothing`() throws {
    let table = try table([], [])
    #expect(table.count == 0)
    for address in ["0.0.0.0", "::1", "8.8.8.8"] {
      #expect(!table.contains(try #require(Address(address))))
    }
  }

  @Test(
    arguments: [
      ("10.0.0.0-10.0.0.255", "10.0.0.0/24"), ("::ffff:1.2.3.4/120", "1.2.3.0/24"),
      ("::/0", "::/0"), ("1.2.3.4", "1.2.3.4/32"), ("::1", "::1/128"),
    ]
  ) func `a prefix is written in the form of its family`(text: String, prefix: String) throws {
    #expect(try #require(Prefix(text: text)).description == prefix)
  }

  @Test(arguments: ["10.0.0.1-10.0.0.2", "10.0.0.0-10.0.0.2"])
  func `a range that is no block is no prefix`(text: String) {
    #expect(Prefix(text: text) == nil)
  }

  @Test func `every look-up agrees with a search of all networks`() throws {
    var random = SeededGenerator(seed: 17)
    for round in 0..<40 {
      let isIPv4 = round % 2 == 0
      let rows = (0..<60).map { _ in Self.randomPrefix(isIPv4: isIPv4, using: &random) }
      let table = try table(["n"], rows.enumerated().map { ("\($1)", ["\($0)"]) })
      let edges = rows.flatMap { Self.edges(of: $0) }
      let wrong = edges.filter { address in
        let holding = rows.filter { Prefix(holding: address, length: $0.length) == $0 }
        let longest = holding.max { $0.length < $1.length }
        return table.match(address)?.prefix != longest
      }
      #expect(wrong.isEmpty, "round \(round)")
    }
  }

  private static func randomPrefix(isIPv4: Bool, using random: inout SeededGenerator) -> Prefix {
    // Few different bits, so that they nest.
    if isIPv4 {
      let number =
        UInt32.random(in: 0...7, using: &random) << 29 | .random(in: 0...15, using: &random)
      return Prefix(holding: Address(ipv4: number), length: .random(in: 0...32, using: &random))
    }
    let number =
      UInt128(UInt64.random(in: 0...3, using: &random)) << 126
      | UInt128(UInt64.random(in: 0...7, using: &random))
    return Prefix(holding: Address(number: number), length: .random(in: 0...128, using: &random))
  }

  /// The first and last address of a network, and those beside them.
  private static func edges(of prefix: Prefix) -> [Address] {
    let range = AddressRange(block: prefix.address, length: prefix.length)
    let numbers = [range.first.number, range.last.number]
    let beside = numbers.flatMap { [$0, $0 &+ 1, $0 &- 1] }.map { Address(number: $0) }
    return beside.filter { $0.isIPv4 == prefix.address.isIPv4 }
  }

  /// Ranges of few numbers, so that many overlap or are equal.
  @Test(arguments: 0..<20) func `the smallest range wins, of equally large ones the later`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let isIPv4 = seed.isMultiple(of: 2)
    func address(_ number: Int) -> Address {
      isIPv4 ? Address(ipv4: UInt32(number)) : Address(number: 1 << 100 + UInt128(number))
    }
    var builder = NetworkTable.Builder(columns: ["n"])
    var ranges: [(first: Int, last: Int, name: String)] = []
    for row in 0..<Int.random(in: 1...40, using: &random) {
      let first = Int.random(in: 0...60, using: &random)
      let last = first + Int.random(in: 0...30, using: &random)
      ranges.append((first, last, "\(row)"))
      let name = Array("\(row)".utf8)
      let isKept = builder.append(value: name.span)
      #expect(isKept)
      builder.append(try #require(AddressRange(first: address(first), last: address(last))))
    }
    let table = builder.table()
    for number in 0...100 {
      let holding = ranges.filter { $0.first <= number && number <= $0.last }
      let best = holding.min { left, right in
        let (size, other) = (left.last - left.first, right.last - right.first)
        return size == other ? left.first > right.first : size < other
      }
      let names = holding.filter { $0.first == best?.first && $0.last == best?.last }.map(\.name)
      let match = table.match(address(number))
      #expect((match.map { table.text(0, of: $0) } ?? "") == names.joined(separator: "|"))
      guard let best, let prefix = match?.prefix else { continue }
      // The block of the shortest division: no larger one is aligned and within the range.
      let block = AddressRange(block: prefix.address, length: prefix.length)
      let wider = AddressRange(block: prefix.address, length: max(0, prefix.length - 1))
      let range = try #require(AddressRange(first: address(best.first), last: address(best.last)))
      #expect(block.contains(address(number)))
      #expect(range.contains(block.first) && range.contains(block.last))
      #expect(!(range.contains(wider.first) && range.contains(wider.last)))
    }
  }

  @Test func `a column has the kind of all its values`() {
    var builder = NetworkTable.Builder(columns: ["text", "number", "mixed", "flag", "none"])
    let rows: [[(String, ValueKind)]] = [
      [("a", .text), ("1.50", .number), ("1", .number), ("true", .flag), ("", .text)],
      [("b", .text), ("", .text), ("x", .text), ("false", .flag), ("", .text)],
    ]
    for (row, values) in rows.enumerated() {
      for (value, kind) in values {
        let bytes = Array(value.utf8)
        let isKept = builder.append(value: bytes.span, kind)
        #expect(isKept)
      }
      builder.append(Prefix(holding: Address(ipv4: UInt32(row)), length: 32))
    }
    builder.append(column: "late")
    #expect(builder.table().kinds == [.text, .number, .text, .flag, .text, .text])
  }
}
