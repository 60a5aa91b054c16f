import Testing

@testable import SondeWeb

@Suite struct EventLogTests {
  private func log(_ count: Int, capacity: Int = 5) -> EventLog {
    var log = EventLog(capacity: capacity, lastID: 100)
    for number in 0..<count {
      let owner = number.isMultiple(of: 2) ? nil : "anna"
      _ = log.append(ServerEvent("n", data: "\(number)", owner: owner))
    }
    return log
  }

  @Test func `ids rise by one`() {
    #expect(log(0).lastID == 100)
    #expect(log(3).lastID == 103)
    #expect(log(3).missed(since: 100, by: "anna")?.map(\.id) == [101, 102, 103])
  }

  @Test func `a stream is told what it missed of everybody's and its own`() {
    let log = log(12)
    #expect(log.missed(since: 112, by: "anna") == [])
    #expect(log.missed(since: 110, by: "anna")?.map(\.id) == [111, 112])
    #expect(log.missed(since: 107, by: "anna")?.map(\.id) == [108, 109, 110, 111, 112])
    #expect(log.missed(since: 107, by: "bert")?.map(\.id) == [109, 111])
  }

  @Test func `where something is no longer kept, or was never told, it must begin anew`() {
    let log = log(12)
    #expect(log.missed(since: 106, by: "anna") == nil)
    #expect(log.missed(since: 0, by: "anna") == nil)
    #expect(log.missed(since: 113, by: "anna") == nil)
    #expect(log.missed(since: .max, by: "anna") == nil)
  }

  @Test func `an event is lines and an empty one, whatever its data`() {
    func text(_ data: String) -> String {
      String(decoding: ServerEvent("scan", data: data).bytes(id: 7), as: UTF8.self)
    }
    #expect(text("{}") == "id: 7\nevent: scan\ndata: {}\n\n")
    #expect(text("a\nb\r\nc\rd") == "id: 7\nevent: scan\ndata: a\ndata: b\ndata: c\ndata: d\n\n")
    // No line ends there.
    #expect(text("a\u{2028}b\u{b}c\u{85}d").contains("data: a\u{2028}b\u{b}c\u{85}d\n"))
    #expect(text("") == "id: 7\nevent: scan\ndata: \n\n")
    let json = ServerEvent("scan", ["id": "x\ny"], owner: "anna")
    #expect(json.data == #"{"id":"x\ny"}"# && json.owner == "anna")
  }
}
