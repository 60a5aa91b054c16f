import Testing

@testable import SondeRecords

@Suite struct FieldSelectionTests {
  @Test(
    arguments: [
      ("ip", [.ip]), ("country,ip", [.country, .ip]), (" asn , ip ", [.asn, .ip]),
      ("ip,asn,ip", [.ip, .asn]), ("+proxy,+network", Field.standard + [.proxy, .network]),
      ("+city", Field.standard), ("+ input", Field.standard + [.input]),
    ] as [(String, [Field])]
  ) func `a list picks columns or adds some`(list: String, fields: [Field])
    throws
  {
    #expect(try FieldSelection(list).fields() == fields)
  }

  @Test func `what is added goes to the columns that are usual for the format`() throws {
    let fields = try FieldSelection("+proxy").fields(usual: Field.table)
    #expect(fields == Field.table + [.proxy])
  }

  @Test(
    arguments: [
      ("", .missingName), ("ip,", .missingName), ("ip,,asn", .missingName), ("+", .missingName),
      ("+proxy,ip", .mixed(names: ["proxy", "ip"])), ("ip,+proxy", .mixed(names: ["ip", "proxy"])),
      ("IP", .unknown(name: "IP", nearest: .ip)),
      ("contry", .unknown(name: "contry", nearest: .country)),
      ("countryCode", .unknown(name: "countryCode", nearest: .countryCode)),
      ("lat", .unknown(name: "lat", nearest: .latitude)),
      ("lon", .unknown(name: "lon", nearest: .longitude)),
      ("as-name", .unknown(name: "as-name", nearest: .asName)),
      ("+prxy", .unknown(name: "prxy", nearest: .proxy)),
      ("elevation", .unknown(name: "elevation", nearest: nil)),
    ] as [(String, FieldListError)]
  ) func `what cannot be used is said`(
    list: String,
    error: FieldListError
  ) {
    #expect(throws: error) { try FieldSelection(list) }
  }

  @Test func `errors say what would be right`() {
    let unknown = FieldListError.unknown(name: "contry\u{1b}", nearest: .country)
    #expect(unknown.description == "there is no column 'contry\\x1b': did you mean 'country'?")
    let far = FieldListError.unknown(name: "elevation", nearest: nil)
    #expect(far.description == "there is no column 'elevation': 'help' lists them all")
    let mixed = FieldListError.mixed(names: ["proxy", "ip"])
    #expect(mixed.description.contains("(+proxy,+ip adds"))
    #expect(mixed.description.contains("(proxy,ip picks"))
    #expect(FieldListError.missingName.description.contains("NAME,NAME"))
  }

  @Test func `the help has a line for every column, in order and within 100 characters`() {
    let added = [(name: "tor", columns: ["tor_network", "tor_since"])]
    var lines = Field.help(sources: sourceNames, added: added).split(separator: "\n").filter {
      $0.hasPrefix("  ")
    }
    #expect(lines.removeLast() == "  tor             tor_network, tor_since")
    let names = lines.map { String($0.split(separator: " ")[0]) }
    let types = lines.map { String($0.split(separator: " ")[1]) }
    #expect(names == Field.allCases.map(\.name))
    #expect(types == Field.allCases.map(\.type.rawValue))
    #expect(lines.allSatisfy { $0.count <= 100 })
  }

  @Test(arguments: Field.allCases) func `a column is found by its name`(field: Field) throws {
    #expect(Field(name: field.name) == field)
    #expect(try FieldSelection(field.name).named == [field])
  }
}
