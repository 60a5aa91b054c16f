import SondeAddresses
import Testing

@testable import SondeRecords

@Suite struct TableRowTests {
  private func values(_ bytes: [UInt8]) -> [String] {
    var (position, values): (Int, [String]) = (0, [])
    while position < bytes.count {
      switch TableRow.value(at: &position, in: bytes.span) {
      case .missing: values.append("NULL")
      case .integer(let number): values.append("\(number)")
      case .real(let number): values.append("real \(number)")
      case .text(let range):
        values.append("'" + String(decoding: bytes[range], as: UTF8.self) + "'")
      }
    }
    return values
  }

  @Test func `a record is a value for each column, of its type`() {
    let fields: [Field] = [
      .ip, .status, .source, .city, .latitude, .asn, .cached, .mobile, .fetchedAt, .message, .line,
      .input,
    ]
    let encoder = RecordEncoder.sample(.sqlite, fields: fields, inputs: ["a'b"])
    var bytes: [UInt8] = []
    encoder.append(block([.google]), to: &bytes)
    #expect(
      values(bytes) == [
        "'8.8.8.8'", "'ok'", "'ip-api'", "'Ashburn'", "real 39.03", "15169", "0", "NULL",
        "'2026-11-20T18:30:00Z'", "NULL", "3", "'a'b'",
      ]
    )
    #expect(encoder.header().isEmpty && encoder.separator.isEmpty)
    #expect(encoder.footer(isEmpty: false).isEmpty && encoder.footer(isEmpty: true).isEmpty)
  }

  @Test func `what is read back has the bytes that it came from`() {
    let samples = [
      Sample(Address(high: 0xfe80 << 48, low: 1), .reserved, [.item: "e\u{0}th'0"]),
      Sample(nil, .invalid, [.item: "\u{0}x\t\u{10ffff}", .message: "m"]), .google, .quad9v6,
    ]
    var zero = Sample.google
    (zero.record.latitude, zero.record.longitude) = (-0.0, 5)
    let encoder = RecordEncoder.sample(.sqlite, fields: Field.allCases)
    var bytes: [UInt8] = []
    encoder.append(block(samples + [zero]), to: &bytes)
    var (again, position): ([UInt8], Int) = ([], 0)
    while position < bytes.count {
      switch TableRow.value(at: &position, in: bytes.span) {
      // As a database gives it back.
      case .real(let number): TableRow.append(.real(number == 0 ? 0 : number), to: &again)
      case .text(let range): TableRow.append(text: bytes.span.extracting(range), to: &again)
      case let value: TableRow.append(value, to: &again)
      }
    }
    #expect(again == bytes)
  }

  @Test func `bytes that are no rows are missing values`() {
    for cut in 0..<20 {
      var bytes: [UInt8] = []
      TableRow.append(text: Array("twelve bytes".utf8).span, to: &bytes)
      _ = values(Array(bytes.prefix(cut)))
    }
    #expect(values([9, 1, 2]) == ["NULL"])
  }

  @Test func `every column has a type`() {
    let types = Dictionary(grouping: Field.allCases, by: \.columnType).mapValues(\.count)
    #expect(types == ["TEXT": Field.allCases.count - 17, "REAL": 2, "INTEGER": 15])
  }
}
