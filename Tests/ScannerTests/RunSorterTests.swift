import SondeAddresses
import SondeInputs
import TestSupport
import Testing

@testable import SondeDiff

/// Compares sorting in runs and files with sorting in memory.
@Suite struct RunSorterTests {
  private static let texts = [
    "8.8.8.8", "8.8.8.9", "1.1.1.1", "255.255.255.255", "0.0.0.0", "2001:db8::1", "2001:db8::",
    "::", "fe80::1%eth0", "fe80::1%eth1", "fe80::1", "::ffff:8.8.8.8", "", "a", "b", "bad item",
    "bad item, a long one", "bad item, a longer one", "8.8.8", "8.8.8.8.8", "Z",
  ]

  /// The order by hand: family, number, then bytes.
  private static func isBefore(_ left: (String, Int), _ right: (String, Int)) -> Bool {
    func parts(_ text: String) -> (Int, UInt64, UInt64, [UInt8]) {
      let plain = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)[0]
      guard let address = Address(String(plain)) else { return (2, 0, 0, Array(text.utf8)) }
      let zone = Array(text.utf8.dropFirst(plain.utf8.count))
      return (address.isIPv4 ? 0 : 1, address.high, address.low, zone)
    }
    let (first, second) = (parts(left.0), parts(right.0))
    if (first.0, first.1, first.2) != (second.0, second.1, second.2) {
      return (first.0, first.1, first.2) < (second.0, second.1, second.2)
    }
    if first.3 != second.3 { return first.3.lexicographicallyPrecedes(second.3) }
    return left.1 < right.1
  }

  @Test(arguments: [(1 << 20, 24), (64, 2), (300, 3), (1, 2)])
  func `records come in order, equal ones as they were given`(size: Int, fanIn: Int) throws {
    var random = SeededGenerator(seed: 31)
    let items = (0..<300).map { (Self.texts.randomElement(using: &random) ?? "", $0) }
    var sorter = RunSorter(runSize: size, fanIn: fanIn)
    for (text, number) in items {
      let bytes = Array(text.utf8)
      let (key, tie) = RecordKey.of(bytes.span)
      try sorter.add(key, tie: bytes.span.extracting(tie...)) {
        PackedRecord.append(bytes.span, .text, column: 0, to: &$0)
        let number = Array(String(number).utf8)
        PackedRecord.append(number.span, .number, column: 1, to: &$0)
      }
    }
    let merge = try sorter.finish()
    var found: [(String, Int)] = []
    while let reader = merge.current {
      var cells: [Int: String] = [:]
      PackedRecord.eachCell(in: reader.buffer, of: reader.record) {
        cells[$0] = String(decoding: reader.buffer[$2], as: UTF8.self)
      }
      found.append((cells[0] ?? "", Int(cells[1] ?? "") ?? -1))
      try merge.advance()
    }
    let expected = items.sorted(by: Self.isBefore)
    #expect(found.map(\.0) == expected.map(\.0))
    #expect(found.map(\.1) == expected.map(\.1))
  }

  @Test func `values are the same whatever the form says of them`() {
    let table: [(String, CellValue, CellValue, Bool)] = [
      ("latitude", cell("51.50"), cell("51.5", .number), true),
      ("latitude", cell("1e2"), cell("100"), true),
      ("asn", cell("3320"), cell("3320.0"), true),
      ("asn", cell("18446744073709551615"), cell("18446744073709551614"), false),
      ("asn", cell("03320"), cell("3320"), false),
      ("latitude", cell("-0"), cell("0"), true),
      ("latitude", cell("1e999"), cell("1e998"), false),
      ("postal_code", cell("01234"), cell("1234", .number), false),
      ("proxy", cell("1", .bit), cell("true", .boolean), true),
      ("proxy", cell("0", .bit), cell("true"), false),
      ("proxy", cell("0", .bit), cell(""), false),
      ("own_level", cell("1.50"), cell("1.5", .number), true),
      ("own_level", cell("1.50", .text), cell("1.5"), false),
      ("own_on", cell("1", .bit), cell("true", .boolean), true),
      ("own_on", cell("1"), cell("true"), false),
      ("own_on", cell("2", .bit), cell("true", .boolean), false),
      ("city", cell(""), cell(""), true),
    ]
    for (field, old, new, isSame) in table {
      #expect(CellComparison(of: field).areEqual(old, new) == isSame, "\(field) \(old) \(new)")
      #expect(CellComparison(of: field).areEqual(new, old) == isSame, "\(field) \(new) \(old)")
    }
  }

  private func cell(_ text: String, _ type: CellType = .plain) -> CellValue {
    CellValue(type: type, bytes: Array(text.utf8))
  }

  @Test func `columns of JSON stand behind those that preceded them`() {
    var names = FieldNames(FieldChoice(named: []))
    var (previous, found): (Int?, [Int?]) = (nil, [])
    for name in ["ip", "status", "asn"] {
      previous = names.number(of: name, behind: previous)
      found.append(previous)
    }
    #expect(names.number(of: "line", behind: previous) == nil)
    let city = names.number(of: "city", behind: names.number(of: "status"))
    #expect(city == 3 && names.number(of: "first", behind: nil) == 4)
    #expect(names.order.map { names.all[$0] } == ["first", "ip", "status", "city", "asn"])
  }
}
