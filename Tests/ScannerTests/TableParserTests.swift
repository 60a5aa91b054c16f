import SondeAddresses
import SondeProviders
import SondeTables
import TestSupport
import Testing

@testable import SondeCatalog
@testable import SondeLists
@testable import SondeRecords

@Suite struct TableParserTests {
  private static let texts = [
    "network,team,site\n10.0.0.0/8,,\"head\n\"\"office\"\"\"\r\n# ours\n\n10.1.0.0/16,net,\n::/0,six,x",
    "\u{feff}10.0.0.0/8 # all\n\n192.0.2.1\r\n2001:db8::/32\n",
    #"{"prefixes":[{"ip_prefix":"10.0.0.0/8","region":"a","service":"B"},{"ip_prefix":"10.0.0.0/8","service":"C"}]}"#,
    "ip\tname\n10.0.0.0/8\ta\n",
    "1.0.0.0,1.0.0.5,AU\n10.0.0.0,10.1.255.255,x\n",
    "\"16777216\",\"16777471\",\"AU\"\n\"167772160\",\"184549375\",\"-\"\n",
    "# feed\n10.0.0.0/8,DE,DE-BE,Berlin,\n2001:db8::/32,,\n",
    "; ours\n10.0.0.0/8 ; all\n1.2.3.0-1.2.3.9 # some\n",
    "{\"cidr\":\"10.0.0.0/8\",\"score\":8.50}\n{\"type\":\"metadata\"}\n",
    #"{"hooks":["10.0.0.0/8"],"keys":["ssh"],"deep":{"name":"n","in":[{"ip":"192.0.2.1","x":[1,true]}]}}"#,
  ]

  /// Reads a text in slices, as `TableFile` does.
  private func parse(
    _ text: [UInt8],
    isPublished: Bool = false,
    slice: () -> Int
  ) throws(TableFileError) -> NetworkTable {
    var parser =
      isPublished
      ? TableParser(published: PublishedList.cloudColumns, named: "t") : TableParser(path: "t")
    var (buffer, position): ([UInt8], Int) = ([], 0)
    while position < text.count {
      let end = min(text.count, position + slice())
      buffer += text[position..<end]
      position = end
      buffer.removeSubrange(..<(try parser.read(buffer.span, isLast: false)))
    }
    _ = try parser.read(buffer.span, isLast: true)
    return try parser.table()
  }

  private func shown(_ table: NetworkTable) throws -> [String] {
    try ["10.2.0.1", "10.1.2.3", "192.0.2.1", "2001:db8::1"].map { text in
      let address = try #require(Address(text))
      guard let match = table.match(address) else { return "-" }
      let values = table.columns.indices.map { table.text($0, of: match) }
      return "\(match.prefix) \(values)"
    }
  }

  @Test(arguments: texts) func `a text means the same wherever it is cut`(text: String) throws {
    let bytes = Array(text.utf8)
    let whole = try shown(parse(bytes) { bytes.count })
    #expect(whole.contains { $0 != "-" })
    var random = SeededGenerator(seed: 5)
    for most in [1, 2, 7, 30] {
      let cut = try parse(bytes) { Int.random(in: 1...most, using: &random) }
      #expect(try shown(cut) == whole, "slices of up to \(most)")
    }
  }

  @Test func `quotes, doubled or around line ends, and values of one prefix are read as they are`()
    throws
  {
    #expect(
      try shown(parse(Array(Self.texts[0].utf8)) { 100 })
        == [
          #"10.0.0.0/8 ["", "head\n\"office\""]"#, #"10.1.0.0/16 ["net", ""]"#, "-",
          #"::/0 ["six", "x"]"#,
        ]
    )
    #expect(try shown(parse(Array(Self.texts[2].utf8)) { 100 })[0] == #"10.0.0.0/8 ["a", "B|C"]"#)
    let published = try parse(Array(Self.texts[2].utf8), isPublished: true) { 100 }
    #expect(try shown(published)[0] == #"10.0.0.0/8 ["B|C", "a"]"#)
  }

  @Test(arguments: [false, true])
  func `nothing that a file holds ends the program`(isPublished: Bool) {
    var random = SeededGenerator(seed: 7)
    let pieces = Self.texts.map { Array($0.utf8) }
    var failures = 0
    for _ in 0..<300 {
      var text = pieces.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0...text.count, using: &random)
        let end = Int.random(in: place...text.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text.removeSubrange(place..<min(end, place + 9))
        case 1: text.insert(.random(in: 0...255, using: &random), at: place)
        case 2:
          text.insert(contentsOf: Array(#"",[{:}]/%#"#.utf8).shuffled(using: &random), at: place)
        default: text.insert(contentsOf: text[place..<end], at: place)
        }
      }
      do throws(TableFileError) {
        _ = try parse(text, isPublished: isPublished) { 64 }
      } catch {
        failures += 1
      }
    }
    #expect(failures > 0 && failures < 300)
  }
}

@Suite struct ListVerdictTests {
  private static let day = (0..<200).map { "185.220.101.\($0)\n" }.joined()

  @Test(
    arguments: [
      ("", 0, "is empty"), (" \n\n", 0, "is empty"),
      ("\n<html>", 0, "is HTML, perhaps a login page"),
      ("# nothing\n", 0, "has no networks"), (day, 401, "has 200 networks, and the former one 401"),
      (day + "Thu\nThu\nThu\n", 0, "has 3 odd lines of 203"), (day, 400, nil),
      (day + "Thu\nFri\n", 0, nil),
      (#"{"prefixes":[{"ip_prefix":"1.0.0.0/8","service":"S"}]}"#, 0, "is another list"),
    ] as [(String, Int, String?)]
  ) func `what is no such list does not take the place of one`(
    body: String,
    former: Int,
    reason: String?
  ) {
    let verdict = ListVerdict(of: Array(body.utf8), as: .tor, former: former)
    if let reason {
      #expect(verdict == .refused(reason))
    } else {
      #expect(verdict == .fine(rows: 200, odd: body == Self.day ? 0 : 2))
    }
  }

  @Test(
    arguments: [
      ("https://www.cloudflare.com/ips-v4/", "/ips-v4/"), ("/ips-v4/", "/ips-v4/"), ("//x/", nil),
      ("http://www.cloudflare.com/ips-v4/", nil), ("https://www.cloudflare.com.x/", nil),
      ("x", nil),
    ] as [(String, String?)]
  ) func `a redirect is followed on its own host by HTTPS alone`(location: String, path: String?) {
    let mirror = BaseURL("http://127.0.0.1:8053/lists/")
    for mirror in [nil, mirror] {
      #expect(ListFetch.path(of: location, on: "www.cloudflare.com", mirror) == path)
    }
    for start in [mirror.text, "/lists"] {
      let place = "\(start)/www.cloudflare.com/v4"
      #expect(ListFetch.path(of: place, on: "www.cloudflare.com", mirror) == "/v4")
    }
  }
}
