import SondeAddresses
import SondeRecords
import Testing

/// A condition on records: what it says, and what can be said before anybody is asked.
struct FilterTests {
  /// Addresses whose last octet is even.
  private struct Even: NetworkSet {
    func contains(_ address: Address) -> Bool { address.low & 1 == 0 }
  }

  /// `own_team` of all addresses below 128.0.0.0.
  private struct Team: ImmediateSource {
    let columns = [AddedColumn(name: "own_network"), AddedColumn(name: "own_team")]

    func append(valuesOf addresses: Span<Address>, to values: inout AddedValues) {
      for index in addresses.indices {
        let isLow = addresses[index].ipv4.map { $0 >> 31 } == 0
        values.append(text: isLow ? "0.0.0.0/1" : "")
        values.append(text: isLow ? "net" : "")
      }
    }
  }

  private func filter(_ text: String) throws(FilterError) -> Filter {
    try Filter(
      text,
      adding: [Team()],
      answeredBy: ["ip-api"],
      missingOption: { $0.hasPrefix("aws_") ? "--with aws" : nil },
      moment: { $0 == "noon" ? 43_200_000 : Int64($0) }
    ) { name throws(FilterFileError) in
      guard name == "even" else { throw FilterFileError("\(name): not there") }
      return Even()
    }
  }

  private func block(_ status: Status = .ok) -> RecordBlock {
    var block = RecordBlock()
    var record = Record(address: Address(ipv4: 0x0808_0808), status: status)
    record[.countryCode] = block.append(text: "US")
    record[.city] = block.append(text: "Saint-Étienne")
    record.asn = 15169
    record.isProxy = false
    record.fetchedAt = 43_200
    record.place.line = 7
    block.records.append(record)
    return block
  }

  @Test(arguments: [
    ("country_code = US", true), ("country_code = us", false), ("country_code != US", false),
    ("city ~ \"*éTIENNE\"", true), ("city ~ tienne", false), ("city ~ '*'", true),
    ("region ~ '*'", false), ("region != x", false), ("not region = x", true),
    ("region not in (x)", false), ("asn > 9", true), ("asn in (1, 15169)", true),
    ("line < 8", true),
    ("proxy", false), ("proxy = false", true), ("mobile != true", false),
    ("asn and not mobile", true),
    ("ip in @even and ip not in (9.8.0.0/17, 9.9.9.9)", true), ("ip < 9.0.0.0", true),
    ("own_team = net and own_network", true), ("asn = 1 or asn = 2 or line", true),
    ("asn = 1 and asn = 2 or line", true), ("asn = 1 and (asn = 2 or line)", false),
    ("not asn = 1 and not (asn = 2)", true), ("\"asn\" = \"15169\"", true), ("asn=15169", true),
    ("fetched_at = noon", true), ("fetched_at > 43199999", true), ("fetched_at < 43200000", false),
    ("fetched_at in (1, noon)", true), ("fetched_at ~ '1970-01-01T12:*'", true),
    ("fetched_at not in (5)", true), ("first_seen < noon", false),
    ("postal_code", false), ("country_code in (in, US)", true), ("status = ok", true),
  ])
  func `it chooses records`(text: String, isLet: Bool) throws {
    let block = block()
    #expect(try filter(text).excludes(block.records[0], bytes: block.bytes.span) != isLet)
  }

  @Test(arguments: [
    ("ip in @even", FilterVerdict.yes), ("not own_team", .no), ("asn = 1", .open),
    ("asn = 1 and not own_team", .no), ("asn = 1 or own_team", .yes),
    ("asn = 1 or ip in @even", .yes),
    ("asn = 1 and own_team", .open), ("not (asn = 1 or own_team)", .no), ("not asn = 1", .open),
    ("status = ok", .open), ("line = 7 and ip = 8.8.8.8", .yes),
  ])
  func `it is decided early where no answer matters`(text: String, verdict: FilterVerdict) throws {
    let block = block()
    let record = block.records[0]
    #expect(try filter(text).verdict(beforeAsking: record, bytes: block.bytes.span) == verdict)
  }

  @Test(arguments: [
    "line = 7 and country_code = US", "line > 7 or country_code = US",
    "not (line = 7 and own_team)",
    "line = 7 and not (asn = 1 or line < 9)", "input and (line in (7, 8) or asn) and line",
    "country_code = US", "not (line = 7 or line >= 70)",
  ])
  func `its halves decide together what it decides`(text: String) throws {
    let (block, filter) = (block(), try filter(text))
    let answer = filter.findings(ofAnswer: block.records[0], bytes: block.bytes.span)
    for line: UInt64 in [6, 7, 8, 70] {
      var record = block.records[0]
      record.place.line = line
      let isExcluded = filter.excludes(record, bytes: block.bytes.span)
      #expect(filter.excludes(answer, at: filter.findings(ofPlace: record)) == isExcluded)
      // What is left out wherever it is met is left out here.
      #expect(isExcluded || !filter.excludes(answer, at: nil))
    }
  }

  @Test func `what has no answer stays where only that could tell`() throws {
    for status in [Status.failed, .networkLost, .invalid] {
      let block = block(status)
      let record = block.records[0]
      #expect(try !filter("country_code = CN").excludes(record, bytes: block.bytes.span))
      let isInvalid = status == .invalid
      #expect(try filter("not own_team").excludes(record, bytes: block.bytes.span) != isInvalid)
      #expect(try filter("status = ok").excludes(record, bytes: block.bytes.span) != isInvalid)
    }
  }

  @Test(arguments: [
    ("", 0, "missing"), ("asn = ", 6, "value is missing"), ("asn = x", 6, "is a number"),
    ("cty = 1", 0, "'city'"), ("aws_x = 1", 0, "without --with aws"), ("own_tem", 0, "'own_team'"),
    ("own_x1y2z3", 0, "--fields help"), ("(ip", 0, "not closed"),
    ("ip in (1.1.1.1", 6, "not closed"),
    ("ip in (1.1.1.1 2.2.2.2)", 15, "',' or ')'"), ("ip in @odd", 6, "odd: not there"),
    ("city in @even", 8, "only ip"), ("ip && asn", 3, "write and"),
    ("asn and or", 8, "before 'or'"),
    ("= 1", 0, "field belongs"), ("source = whois", 9, "ip-api"), ("@", 0, "file is missing"),
    ("line ~ '*x*'", 5, "text is the line"),
    ("asn ~ 15*", 4, "is a number"), ("latitude~x", 8, "by = or <"),
    ("fetched_at > moon", 13, "'moon' is not: write a date"),
    ("asn and proxy ~ true", 14, "write proxy or not proxy"), ("line ~", 5, "text is the line"),
  ])
  func `what is wrong has a place`(text: String, place: Int, words: String) throws {
    let error = #expect(throws: FilterError.self) { try filter(text) }
    #expect(error?.place.lowerBound == place)
    #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
  }

  @Test func `the mark stands below the place, whatever is before it`() throws {
    let text = "city = '日本\u{1b}' and x"
    let error = #expect(throws: FilterError.self) { try filter(text) }
    let lines = try #require(error).marked(in: text)
    #expect(lines == ["city = '日本\\x1b' and x", String(repeating: " ", count: 22) + "^"])
  }

  @Test func `it has one spelling`() throws {
    let filter = try filter("not(ip in @even)and city='a b'")
    #expect(filter.spelling { "/\($0)" } == "not ( ip in @/even ) and city = \"a b\"")
    #expect(filter.files == ["even"] && filter.answers == [.city])
  }
}
