import SondeAddresses
import TestSupport
import Testing

@testable import SondeNames

@Suite struct LookupTests {
  private let host = address("192.0.2.1")

  private func pointers(_ names: [String], timeToLive: UInt32 = 3600) throws -> NameAnswer {
    let entries = names.map { Message.pointer($0, timeToLive: timeToLive) }
    return try #require(Message(answers: entries).answer)
  }

  private func addresses(_ octets: [UInt8]..., timeToLive: UInt32 = 3600) throws -> NameAnswer {
    let entries = octets.map {
      Message.Entry(owner: Message.toQuestion, type: 1, timeToLive: timeToLive, data: $0)
    }
    return try #require(Message(type: .a, answers: entries).answer)
  }

  private func code(_ code: UInt8) throws -> NameAnswer { try #require(Message(code: code).answer) }

  private func isText(_ text: [CChar]?, _ expected: String) -> Bool {
    text?.dropLast().map { UInt8(bitPattern: $0) } == Array(expected.utf8)
  }

  @Test func `confirmed names come first`() throws {
    var lookup = NameLookup(host)
    #expect(isText(lookup.text(of: .pointers), "1.2.0.192.in-addr.arpa"))
    #expect(
      lookup.take(try pointers(["a.example", "b.example", "c.example"]), to: .pointers)
        == .confirm(3)
    )
    #expect(isText(lookup.text(of: .addresses(1)), "b.example"))
    #expect(lookup.take(try addresses([192, 0, 2, 9]), to: .addresses(0)) == .wait)
    #expect(lookup.take(try code(3), to: .addresses(2)) == .wait)
    let step = lookup.take(
      try addresses([192, 0, 2, 7], [192, 0, 2, 1], timeToLive: 600),
      to: .addresses(1)
    )
    let names = ["b.example", "a.example", "c.example"]
    #expect(step == .done(HostNames(names: names, status: .confirmed, lifetime: .seconds(600))))
  }

  @Test func `no name that leads back is unconfirmed`() throws {
    var lookup = NameLookup(host)
    _ = lookup.take(try pointers(["a.example"]), to: .pointers)
    let step = lookup.take(try addresses(), to: .addresses(0))
    #expect(
      step == .done(HostNames(names: ["a.example"], status: .unconfirmed, lifetime: .seconds(3600)))
    )
  }

  @Test(arguments: [0, 3] as [UInt8])
  func `no pointer is no name`(code: UInt8) throws {
    var lookup = NameLookup(host)
    let message = Message(code: code, authorities: [Message.zone(timeToLive: 900, minimum: 1800)])
    let step = lookup.take(try #require(message.answer), to: .pointers)
    #expect(step == .done(HostNames(names: [], status: .none, lifetime: .seconds(900))))
  }

  @Test(
    arguments: [(0, 300), (299, 300), (86_401, 86_400), (0x7fff_ffff, 86_400)] as [(UInt32, Int)]
  )
  func `a result holds from five minutes to a day`(timeToLive: UInt32, seconds: Int) throws {
    var lookup = NameLookup(host, confirms: false)
    guard
      case .done(let names) = lookup.take(
        try pointers(["a.example"], timeToLive: timeToLive),
        to: .pointers
      )
    else { return #expect(Bool(false)) }
    #expect(names.lifetime == .seconds(seconds))
  }

  @Test func `ten names are looked up, and 128 are kept, each once`() throws {
    var lookup = NameLookup(host)
    let many = ["N0.example"] + (0..<300).map { "n\($0).example" }
    #expect(lookup.take(try pointers(many), to: .pointers) == .confirm(10))
    for number in 0..<9 { _ = lookup.take(try addresses(), to: .addresses(number)) }
    guard case .done(let names) = lookup.take(try addresses(), to: .addresses(9)) else {
      return #expect(Bool(false))
    }
    #expect(names.names.count == 128)
    #expect(names.names.prefix(2) == ["N0.example", "n1.example"])
  }

  @Test func `aliases are followed where the resolver does not, and not for ever`() throws {
    var lookup = NameLookup(host)
    let target = Message.name("1.0/25.2.0.192.in-addr.arpa")
    let entry = Message.Entry(owner: Message.toQuestion, type: 5, data: target)
    let alias = try #require(Message(answers: [entry]).answer)
    #expect(lookup.take(alias, to: .pointers) == .ask(.pointers))
    #expect(isText(lookup.text(of: .pointers), "1.0/25.2.0.192.in-addr.arpa"))
    for _ in 2..<NameLookup.mostLinks {
      #expect(lookup.take(alias, to: .pointers) == .ask(.pointers))
    }
    guard case .done(let names) = lookup.take(alias, to: .pointers) else {
      return #expect(Bool(false))
    }
    #expect(names.status == .failed)
  }

  @Test func `aliases of names are followed, too`() throws {
    var lookup = NameLookup(host)
    _ = lookup.take(try pointers(["a.example"]), to: .pointers)
    let entry = Message.Entry(owner: Message.toQuestion, type: 5, data: Message.name("b.example"))
    let alias = try #require(Message(type: .a, answers: [entry]).answer)
    #expect(lookup.take(alias, to: .addresses(0)) == .ask(.addresses(0)))
    #expect(isText(lookup.text(of: .addresses(0)), "b.example"))
    guard case .done(let names) = lookup.take(try addresses([192, 0, 2, 1]), to: .addresses(0))
    else {
      return #expect(Bool(false))
    }
    #expect(names.status == .confirmed)
    #expect(names.names == ["a.example"])
  }

  @Test func `a failure is known as such, whatever else is`() throws {
    var lookup = NameLookup(host)
    let failure = QuestionFailure.unanswered("SERVFAIL")
    guard case .done(let none) = lookup.take(failure, to: .pointers) else {
      return #expect(Bool(false))
    }
    #expect((none.status, none.reason, none.lifetime) == (.failed, "SERVFAIL", .seconds(300)))

    lookup = NameLookup(host)
    _ = lookup.take(try pointers(["a.example", "b.example"]), to: .pointers)
    #expect(lookup.take(failure, to: .addresses(0)) == .wait)
    guard case .done(let unsure) = lookup.take(try addresses(), to: .addresses(1)) else {
      return #expect(Bool(false))
    }
    #expect((unsure.status, unsure.names) == (.failed, ["a.example", "b.example"]))

    lookup = NameLookup(host)
    _ = lookup.take(try pointers(["a.example", "b.example"]), to: .pointers)
    _ = lookup.take(failure, to: .addresses(0))
    guard case .done(let sure) = lookup.take(try addresses([192, 0, 2, 1]), to: .addresses(1))
    else {
      return #expect(Bool(false))
    }
    #expect((sure.status, sure.names) == (.confirmed, ["b.example", "a.example"]))
  }

  @Test func `a loss of the network is not kept`() throws {
    var lookup = NameLookup(host)
    _ = lookup.take(try pointers(["a.example", "b.example"]), to: .pointers)
    _ = lookup.take(.networkLost("gone"), to: .addresses(0))
    guard case .done(let names) = lookup.take(.unanswered("SERVFAIL"), to: .addresses(1)) else {
      return #expect(Bool(false))
    }
    #expect((names.status, names.reason, names.lifetime) == (.networkLost, "gone", nil))
  }

  @Test func `a name that cannot be asked for is not confirmed`() throws {
    var lookup = NameLookup(host)
    _ = lookup.take(try pointers(["a.example"]), to: .pointers)
    guard case .done(let names) = lookup.takeRefusal(of: .addresses(0)) else {
      return #expect(Bool(false))
    }
    #expect(names.status == .unconfirmed)
  }
}

@Suite struct ResolverPlaceTests {
  @Test(
    arguments: [
      ("192.0.2.1", "192.0.2.1:53"), ("192.0.2.1:5353", "192.0.2.1:5353"),
      ("2001:db8::1", "[2001:db8::1]:53"), ("[2001:db8::1]", "[2001:db8::1]:53"),
      ("[2001:db8::1]:65535", "[2001:db8::1]:65535"), ("localhost", "127.0.0.1:53"),
      ("localhost:53000", "127.0.0.1:53000"),
    ]
  ) func `a place is an address and maybe a port`(text: String, place: String) throws {
    guard case .server(let server) = try #require(ResolverPlace(text)) else {
      return #expect(Bool(false))
    }
    #expect(server.description == place)
  }

  @Test(
    arguments: [
      "", "192.0.2", "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:65536", "192.0.2.1:+53", "dns.example",
      "[2001:db8::1", "2001:db8::1]", "[2001:db8::1]:", "fe80::1%eth0", " 192.0.2.1", "192.0.2.1 ",
      "localhost:", "localhosts", "192.0.2.1/32",
    ]
  ) func `anything else is none`(text: String) { #expect(ResolverPlace(text) == nil) }
}
