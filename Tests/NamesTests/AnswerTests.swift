import SondeAddresses
import TestSupport
import Testing

@testable import SondeNames

@Suite struct AnswerTests {
  @Test func `all pointers are read, with the least of their TTLs`() throws {
    let message = Message(answers: [
      Message.pointer("a.example", timeToLive: 900), Message.pointer("B.Example", timeToLive: 700),
    ])
    let answer = try #require(message.answer)
    #expect(answer.names.map(\.text) == ["a.example", "B.Example"])
    #expect(answer.timeToLive == 700)
    #expect(answer.alias == nil)
  }

  @Test func `aliases are followed, in any order, with their TTLs`() throws {
    let middle = Message.name("1.0/25.2.0.192.in-addr.arpa")
    let end = Message.name("host.other")
    let message = Message(answers: [
      .init(owner: end, type: 12, data: Message.name("mail.example")),
      .init(owner: middle, type: 5, timeToLive: 60, data: end),
      .init(owner: Message.toQuestion, type: 5, data: middle),
      .init(owner: Message.name("elsewhere"), type: 12, data: Message.name("wrong.example")),
    ])
    let answer = try #require(message.answer)
    #expect(answer.names.map(\.text) == ["mail.example"])
    #expect((answer.links, answer.timeToLive) == (2, 60))
  }

  @Test func `an alias with nothing behind it is told`() throws {
    let target = Message.name("x.example")
    let message = Message(answers: [.init(owner: Message.toQuestion, type: 5, data: target)])
    let answer = try #require(message.answer)
    #expect(answer.alias?.text == "x.example")
    #expect(answer.links == 1)
  }

  @Test func `aliases that go round end`() throws {
    let other = Message.name("x.example")
    let message = Message(answers: [
      .init(owner: Message.toQuestion, type: 5, data: other),
      .init(owner: other, type: 5, data: Message.toQuestion),
    ])
    let answer = try #require(message.answer)
    #expect(answer.isEmpty)
    #expect(answer.links > NameAnswer.mostLinks)
  }

  @Test func `addresses are read for their type alone`() throws {
    var message = Message(question: Message.name("a.example"), type: .a)
    message.answers = [
      .init(owner: Message.toQuestion, type: 1, data: [192, 0, 2, 1]),
      .init(owner: Message.toQuestion, type: 1, data: [192, 0, 2]),
      .init(owner: Message.toQuestion, type: 28, data: [UInt8](repeating: 1, count: 16)),
      .init(owner: Message.toQuestion, type: 1, data: [192, 0, 2, 9], recordClass: 3),
    ]
    #expect(try #require(message.answer).addresses == [address("192.0.2.1")])
    message.type = .aaaa
    let six = try #require(message.answer).addresses
    #expect(six == [address("101:101:101:101:101:101:101:101")])
  }

  @Test func `what is not there holds as long as its zone says`() throws {
    var message = Message(code: 3, authorities: [Message.zone(timeToLive: 900, minimum: 600)])
    #expect(try #require(message.answer).timeToLive == 600)
    message.authorities = [Message.zone(timeToLive: 500, minimum: 600)]
    #expect(try #require(message.answer).timeToLive == 500)
    message.authorities = []
    #expect(try #require(message.answer).timeToLive == nil)
  }

  @Test func `a TTL with the highest bit is none`() throws {
    let message = Message(answers: [Message.pointer("a.example", timeToLive: 1 << 31)])
    #expect(try #require(message.answer).timeToLive == 0)
  }

  @Test func `a message that is cut says so, and nothing of it is read`() throws {
    var message = Message(isTruncated: true, answers: [Message.pointer("a.example")])
    message.claimedAnswers = 100
    let answer = try #require(message.answer)
    #expect(answer.isTruncated)
    #expect(answer.isEmpty)
  }

  @Test func `a message whose counts lie is none`() {
    var message = Message(answers: [Message.pointer("a.example")])
    message.claimedAnswers = 2
    #expect(message.answer == nil)
    message.claimedAnswers = 65_535
    #expect(message.answer == nil)
  }

  @Test func `names in messages are bounded and never go round`() {
    let forward = Message.Entry(owner: Message.toQuestion, type: 12, data: [0xc0, 200])
    let round = Message.Entry(owner: Message.toQuestion, type: 12, data: [1, 97, 0xc0, 52])
    let long = Message.Entry(
      owner: Message.toQuestion,
      type: 12,
      data: [UInt8](repeating: 63, count: 64 * 4) + [0]
    )
    let longest = Message.Entry(
      owner: Message.toQuestion,
      type: 12,
      data: [UInt8](repeating: 63, count: 64 * 3) + [61] + [UInt8](repeating: 63, count: 61) + [0]
    )
    for entry in [forward, round, long] { #expect(Message(answers: [entry]).answer?.names == []) }
    #expect(Message(answers: [longest]).answer?.names.map(\.wire.count) == [255])
  }

  @Test func `bytes that are no visible character are written as numbers`() throws {
    let labels: [(label: [UInt8], text: String)] = [
      (Array("a.b".utf8), #"a\046b"#), (Array(#"a\b"#.utf8), #"a\092b"#),
      ([0, 9, 10, 32], #"\000\009\010\032"#),
      ([127, 128, 255], #"\127\128\255"#), (Array("ü".utf8), #"\195\188"#),
      (Array("A-_~".utf8), "A-_~"),
    ]
    for (label, text) in labels {
      let data = [UInt8(label.count)] + label + [3] + Array("com".utf8) + [0]
      let entry = Message.Entry(owner: Message.toQuestion, type: 12, data: data)
      let name = try #require(Message(answers: [entry]).answer?.names.first)
      #expect(name.text == text + ".com")
      #expect((name.questionText == nil) == label.contains(0))
    }
  }

  @Test func `the root is a dot that is not asked for`() throws {
    let entry = Message.Entry(owner: Message.toQuestion, type: 12, data: [0])
    let name = try #require(Message(answers: [entry]).answer?.names.first)
    #expect(name.text == ".")
    #expect(name.questionText == nil)
  }

  @Test func `names are the same whatever the case`() throws {
    let message = Message(answers: [
      Message.pointer("a.example"), Message.pointer("A.EXAMPLE"), Message.pointer("[.example"),
      Message.pointer("{.example"),
    ])
    #expect(Set(try #require(message.answer).names).count == 3)
  }

  /// Bytes at random, and messages with bytes changed, cut or doubled: whatever comes is read or refused.
  @Test func `no message whatever stops the reader`() throws {
    var generator = SeededGenerator(seed: 1035)
    let whole = Message(
      answers: [
        Message.pointer("a.example"),
        .init(owner: Message.toQuestion, type: 5, data: Message.name("b.c.d.example")),
        .init(owner: [1, 98, 0xc0, 14], type: 12, data: [1, 99, 0xc0, 16]),
      ],
      authorities: [Message.zone(timeToLive: 60, minimum: 60)]
    ).bytes
    var read = 0
    for _ in 0..<100_000 {
      var bytes = whole
      for _ in 0...Int.random(in: 0..<6, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[index] = 0xc0
        case 2: bytes.removeSubrange(index..<min(bytes.count, index + 3))
        default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 3)], at: index)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      for type in [RecordType.pointer, .a, .aaaa] {
        guard let answer = NameAnswer(bytes.span, to: type) else { continue }
        read += answer.names.reduce(1) { $0 + $1.text.utf8.count }
      }
    }
    #expect(read > 0)
    #expect(NameAnswer([UInt8]().span, to: .pointer) == nil)
  }

  @Test func `the worst message is read in no time`() throws {
    // Long chains of names that are nearly the same, each compared with each.
    let name = [UInt8](repeating: 1, count: 252).enumerated().map { $0.offset % 2 == 0 ? 1 : 97 }
    let owner = name.map { UInt8($0) } + [0]
    let records = (0..<200).map { _ in
      Message.Entry(owner: owner, type: 5, data: Array(owner.dropFirst(2)))
    }
    let message = Message(answers: records)
    let time = try ContinuousClock().measure { _ = try #require(message.answer) }
    #expect(time < .seconds(1))
  }
}

@Suite struct ReverseNameTests {
  @Test(
    arguments: [
      ("192.0.2.1", "1.2.0.192.in-addr.arpa"), ("255.10.100.9", "9.100.10.255.in-addr.arpa"),
      ("0.0.0.0", "0.0.0.0.in-addr.arpa"),
      (
        "2001:db8::567:89ab",
        "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
      ),
    ]
  ) func `an address has a reverse name`(text: String, name: String) {
    let reverse = address(text).reverseName
    #expect(reverse.last == 0)
    #expect(String(decoding: reverse.dropLast().map { UInt8($0) }, as: UTF8.self) == name)
  }
}
