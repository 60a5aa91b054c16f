import SondeAddresses
import SondeTables
import TestSupport
import Testing

@testable import SondeProviders

/// What is read of an answer, as lines.
private func read(_ body: String, about address: String = "8.8.8.8") throws -> [String] {
  let address = try #require(Address(address))
  do {
    let found = try Registration(parsing: Array(body.utf8), about: address)
    return ["\(found.network(holding: address))", found.name, found.abuse.joined(separator: " ")]
  } catch {
    switch error {
    case .misleading(let reason): return ["misleading", reason]
    case .unreadable(let reason): return ["unreadable", reason]
    }
  }
}

/// An answer about a range, with further members.
private func answer(_ first: String, _ last: String, _ rest: String = "") -> String {
  #"{"objectClassName":"ip network","startAddress":"\#(first)","endAddress":"\#(last)"\#(rest)}"#
}

/// An entity with a role, properties of its card, and further members.
private func entity(_ role: String, _ properties: String, _ rest: String = "") -> String {
  #"{"objectClassName":"entity","roles":["\#(role)"],"vcardArray":["vcard",[["version",{},"text","4.0"]\#(properties)]]\#(rest)}"#
}

private func mail(_ text: String, _ parameters: String = "{}") -> String {
  #",["email",\#(parameters),"text",\#(text)]"#
}

@Suite struct RegistrationTests {
  @Test func `an answer as ARIN gives it, with the contact for abuse within the registrant`() throws
  {
    let abuse = entity("abuse", mail(#""network-abuse@google.com""#))
    let registrant = entity(
      "registrant",
      #",["fn",{},"text","Google LLC"]"#,
      #","entities":[\#(abuse)]"#
    )
    let body = answer(
      "8.8.8.0",
      "8.8.8.255",
      #","name":"GOGL","cidr0_cidrs":[{"v4prefix":"8.8.8.0","length":24}],"entities":[\#(registrant)]"#
    )
    #expect(try read(body) == ["8.8.8.0/24", "GOGL", "network-abuse@google.com"])
  }

  @Test func `the registrant's name stands in for the network's`() throws {
    let others = entity("technical", #",["fn",{},"text","Not that"]"#)
    let nested = entity(
      "registrant",
      #",["fn",{},"text",""],["fn",{},"text"," Example\u0000\n Ltd "]"#
    )
    for name in ["", #","name":"""#, #","name":null"#, #","name":7"#, #","name":" \u0000 ""#] {
      let rest = name + #","entities":[\#(others),\#(nested)]"#
      #expect(try read(answer("8.8.8.0", "8.8.8.255", rest)) == ["8.8.8.0/24", "Example Ltd", ""])
    }
  }

  @Test func `where the ends are not given, the extension's blocks are taken`() throws {
    let blocks = #"{"v4prefix":"8.0.0.0","length":9},{"v4prefix":"8.8.8.0","length":24}"#
    let odd =
      #"7,{},{"v4prefix":"8.8.8.8","length":33},{"v4prefix":"8.8.8.8","length":"32"},{"v4prefix":"x","length":3}"#
    #expect(
      try read(#"{"cidr0_cidrs":[\#(odd),\#(blocks)],"name":"A"}"#) == ["8.8.8.0/24", "A", ""]
    )
    let far = #"{"cidr0_cidrs":[{"v4prefix":"9.0.0.0","length":8}]}"#
    #expect(try read(far) == ["misleading", "the answer is about other addresses"])
    #expect(try read(#"{"cidr0_cidrs":[{"v4prefix":"0.0.0.0","length":0}]}"#)[0] == "misleading")
    #expect(
      try read(#"{"cidr0_cidrs":[{"v6prefix":"2001:db8::","length":32}]}"#, about: "2001:db8::1")[0]
        == "2001:db8::/32"
    )
  }

  @Test func `a range that is no block shows the one within it that holds the address`() throws {
    let cases = [
      ("8.8.7.0", "8.8.9.255", "8.8.8.8", "8.8.8.0/23"),
      ("8.8.7.0", "8.8.9.255", "8.8.7.1", "8.8.7.0/24"),
      ("8.8.8.8", "8.8.8.8", "8.8.8.8", "8.8.8.8/32"),
      ("8.8.8.7", "8.8.8.9", "8.8.8.7", "8.8.8.7/32"),
      ("0.0.0.1", "255.255.255.255", "8.8.8.8", "8.0.0.0/5"),
      ("2001:db8::", "2001:db8:2:ffff:ffff:ffff:ffff:ffff", "2001:db8:2::1", "2001:db8:2::/48"),
      ("::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::1", "2000::/3"),
    ]
    for (first, last, address, network) in cases {
      #expect(try read(answer(first, last), about: address)[0] == network)
    }
  }

  @Test func `an answer about other addresses, or about all, is none`() throws {
    let lies = [
      answer("9.0.0.0", "9.255.255.255"), answer("0.0.0.0", "255.255.255.255"),
      answer("::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), answer("2001:db8::", "2001:db8::1"),
    ]
    for lie in lies { #expect(try read(lie)[0] == "misleading") }
    let all = answer("::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")
    #expect(
      try read(all, about: "2001:db8::1") == ["misleading", "the answer is about all addresses"]
    )
  }

  @Test func `what has no network is no answer`() throws {
    let bodies = [
      "", "{", "[]", "7", "null", "{}", #"{"startAddress":"8.8.8.0"}"#,
      answer("8.8.9.0", "8.8.8.0"),
      answer("8.8.8.0", "2001:db8::"), answer("8.8.8.0/24", "x"), #"{"cidr0_cidrs":{}}"#,
      #"{"cidr0_cidrs":[]}"#,
      #"{"startAddress":["8.8.8.0"],"endAddress":{"a":1}}"#, "{\"startAddress\":\"\u{0}\"}",
      #"{"startAddress":"8.8\u0000.8.0","endAddress":"8.8.8.255"}"#,
    ]
    for body in bodies { #expect(try read(body)[0] == "unreadable", "\(body)") }
  }
}

@Suite struct RegistrationContactTests {
  private func mails(_ entities: String...) throws -> String {
    try read(answer("8.8.8.0", "8.8.8.255", #","entities":[\#(entities.joined(separator: ","))]"#))[
      2
    ]
  }

  @Test func `the nearest comes first, and each once`() throws {
    let inner = entity("abuse", mail(#""far@example.net""#) + mail(#""near@example.net""#))
    let outer = entity("registrant", "", #","entities":[\#(inner)]"#)
    let near =
      #"{"roles":["noc","ABUSE"],"vcardArray":["vcard",[["EMAIL",{},"text","near@example.net"]]]}"#
    #expect(try mails(outer, near) == "near@example.net far@example.net")
    #expect(try mails(entity("technical", mail(#""tech@example.net""#))) == "")
  }

  @Test func `what is meant for abuse wins, then what is preferred`() throws {
    let ripe = mail(#""a@example.net""#) + mail(#""abuse@example.net""#, #"{"type":"abuse"}"#)
    #expect(try mails(entity("abuse", ripe)) == "abuse@example.net")
    let listed =
      mail(#""a@example.net""#, #"{"pref":1}"#)
      + mail(#""b@example.net""#, #"{"type":["work","Abuse"]}"#)
    #expect(try mails(entity("abuse", listed)) == "b@example.net")
    let apnic = mail(#""a@example.net""#) + mail(#""b@example.net""#, #"{"pref":"1"}"#)
    #expect(try mails(entity("abuse", apnic)) == "b@example.net")
    let equal = mail(#""a@example.net""#, #"{"pref":"x"}"#) + mail(#""b@example.net""#, #"[]"#)
    #expect(try mails(entity("abuse", equal)) == "a@example.net b@example.net")
  }

  @Test func `cards as they come`() throws {
    let odd = [
      mail(#"["a@example.net","b@example.net"]"#): "a@example.net b@example.net",
      mail(#""mailto:a@example.net""#): "a@example.net",
      #",["email",{},"text"]"#: "", #",["email"]"#: "", ",[]": "", ",7": "",
      #",["email",{},"text",7]"#: "",
      mail("null"): "", mail(#""""#): "", mail(#""no mail""#): "", mail(#""@b""#): "",
      mail(#""a@""#): "",
      mail(#""a b@c""#): "", mail(#""a\u0000@b""#): "", mail(#""a\n@b""#): "",
      mail(#""a\u0085@b""#): "",
      mail("\"\(String(repeating: "a", count: 300))@b\""): "",
    ]
    for (properties, expected) in odd {
      #expect(try mails(entity("abuse", properties)) == expected, "\(properties)")
    }
    let cards = ["7", "[]", #"["vcard"]"#, #"["vcard",{}]"#, #"["vcard",[[]]]"#, "{}", "null"]
    for card in cards {
      #expect(try mails(#"{"roles":["abuse"],"vcardArray":\#(card)}"#) == "")
    }
    #expect(
      try mails(#"{"roles":"abuse","vcardArray":["vcard",[["email",{},"text","a@b"]]]}"#) == "a@b"
    )
    #expect(try mails(#"{"roles":{"abuse":1}}"#, "7", "null", "[]") == "")
  }

  @Test func `many are cut`() throws {
    let many = (0..<100).map { mail("\"a\($0)@example.net\"") }.joined()
    #expect(try mails(entity("abuse", many)).split(separator: " ").count == 10)
  }

  @Test(.timeLimit(.minutes(1))) func `no answer traps, however hostile`() throws {
    let deep = String(repeating: #"{"entities":["#, count: 20) + String(repeating: "]}", count: 20)
    let wide =
      "["
      + Array(repeating: #"{"roles":["abuse"],"entities":[{}]}"#, count: 5_000).joined(
        separator: ","
      ) + "]"
    let body = answer("8.8.8.0", "8.8.8.255", #","entities":[\#(deep)]"#)
    #expect(try read(body)[0] == "8.8.8.0/24")
    #expect(try read(answer("8.8.8.0", "8.8.8.255", #","entities":\#(wide)"#))[0] == "8.8.8.0/24")
    let deeper = String(repeating: "[", count: 100_000)
    #expect(try read(deeper)[0] == "unreadable")
    let name = String(repeating: "ä\\u0007", count: 100_000)
    #expect(try read(answer("8.8.8.0", "8.8.8.255", #","name":"\#(name)""#))[1].utf8.count <= 1024)
  }

  @Test func `random damage to an answer never traps`() throws {
    var generator = SeededGenerator(seed: 17)
    let abuse = entity("abuse", mail(#""a@example.net""#, #"{"pref":"1"}"#))
    let whole = Array(answer("8.8.7.0", "8.8.9.255", #","name":"N","entities":[\#(abuse)]"#).utf8)
    let address = try #require(Address("8.8.8.8"))
    let marks = Array(#"{}[]",:0\u"#.utf8) + [0, 0xff, 0x80]
    for _ in 0..<2_000 {
      var bytes = whole
      for _ in 0...Int.random(in: 0..<4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = marks.randomElement(using: &generator) ?? 0
        case 1: bytes.remove(at: place)
        default: bytes.insert(marks.randomElement(using: &generator) ?? 0, at: place)
        }
      }
      guard let found = try? Registration(parsing: bytes, about: address) else { continue }
      #expect(found.range.contains(address))
      let network = found.network(holding: address)
      #expect(Prefix(holding: address, length: network.length) == network)
    }
  }
}
