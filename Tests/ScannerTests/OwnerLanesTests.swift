import SondeAddresses
import SondeProviders
import SondeTables
import Testing

@testable import SondeSources

/// Lanes whose addresses are each a registry's by the first octet: even ones ARIN's, odd ones RIPE's.
private final class Desk {
  static let (arin, ripe) = (Registry(name: "arin"), Registry(name: "ripe"))
  var lanes: OwnerLanes

  init(reuse: OwnerReuse = .block, place: OwnerLanes.Place? = nil) {
    lanes = OwnerLanes(reuse: reuse) { address in
      place ?? .registry((address.ipv4 ?? 0) >> 24 % 2 == 0 ? Self.arin : Self.ripe)
    }
  }

  /// Has a batch asked about.
  func ask(_ texts: String...) -> UInt64 {
    let addresses = texts.map(address)
    let number = lanes.enter(addresses)
    lanes.begin(addresses)
    return number
  }

  /// Takes the next question of a registry, as a worker that is hired for it.
  func next(_ registry: Registry) -> OwnerLanes.Question? {
    _ = lanes.hire(upTo: 1)
    return lanes.next(for: registry)
  }

  /// Answers a question with a network.
  func answer(_ question: OwnerLanes.Question, _ length: Int) {
    let range = AddressRange(block: question.address, length: length)
    let registration = Registration(range: range, name: "/\(length)", abuse: [])
    let owner = Owner(outcome: .found(registration), registry: Self.arin)
    lanes.known.note(.init(address: question.address, owner: owner))
    lanes.take(.answered, of: question)
  }

  func result(of number: UInt64, _ texts: String...) -> [String]? {
    var lanes = lanes
    return lanes.result(of: number, texts.map(address))?.map { match in
      match.owner.registration.map { ($0.name + (match.isInferred ? "*" : "")) }
        ?? "\(match.owner.outcome)"
    }
  }
}

private func address(_ text: String) -> Address { Address(text) ?? Address(ipv4: 0) }

struct OwnerLanesTests {
  @Test func `a lane is asked about once, for all batches that wait`() throws {
    let desk = Desk()
    let batches = [desk.ask("8.8.8.8", "8.8.8.9"), desk.ask("8.8.8.10")]
    let question = try #require(desk.next(Desk.arin))
    #expect(question.address == address("8.8.8.8"))
    #expect(desk.next(Desk.arin) == nil)
    #expect(desk.lanes.takeFinished().isEmpty)
    desk.answer(question, 24)
    #expect(desk.lanes.takeFinished() == batches)
    #expect(desk.result(of: batches[0], "8.8.8.8", "8.8.8.9") == ["/24", "/24*"])
    #expect(desk.result(of: batches[1], "8.8.8.10") == ["/24*"])
  }

  @Test func `what an answer does not hold for is asked about next, before later batches`() throws {
    let desk = Desk()
    let first = desk.ask("8.8.8.8", "8.8.8.200")
    _ = desk.ask("8.8.9.1")
    desk.answer(try #require(desk.next(Desk.arin)), 28)
    let next = try #require(desk.next(Desk.arin))
    #expect(next.address == address("8.8.8.200"))
    desk.answer(next, 25)
    #expect(desk.lanes.takeFinished() == [first])
    #expect(desk.next(Desk.arin)?.address == address("8.8.9.1"))
  }

  @Test func `registries wait for none but themselves`() throws {
    let desk = Desk()
    let batch = desk.ask("8.8.8.8", "9.9.9.9", "8.8.9.8")
    let other = desk.ask("9.9.8.9")
    desk.answer(try #require(desk.next(Desk.ripe)), 24)
    desk.answer(try #require(desk.next(Desk.ripe)), 24)
    #expect(desk.lanes.takeFinished() == [other])
    #expect(desk.next(Desk.ripe) == nil)
    for _ in 0..<2 { desk.answer(try #require(desk.next(Desk.arin)), 24) }
    #expect(desk.lanes.takeFinished() == [batch])
  }

  @Test func `no more are hired than there is to do, nor than may be`() {
    let desk = Desk()
    _ = desk.ask("8.8.8.8", "8.8.9.8", "8.8.10.8", "9.9.9.9")
    let hired = desk.lanes.hire(upTo: 2)
    #expect(hired.map(\.name).sorted() == ["arin", "arin", "ripe"])
    #expect(desk.lanes.next(for: Desk.ripe) != nil)
    #expect(desk.lanes.next(for: Desk.ripe) == nil)
    #expect(desk.lanes.hire(upTo: 2).isEmpty)
    _ = desk.ask("9.9.8.9")
    #expect(desk.lanes.hire(upTo: 2) == [Desk.ripe])
  }

  @Test func `a failure is that of all who waited, and of nobody who comes later`() throws {
    let desk = Desk()
    let batches = [desk.ask("8.8.8.8"), desk.ask("8.8.8.9")]
    let question = try #require(desk.next(Desk.arin))
    desk.lanes.take(.failed(.networkLost), of: question)
    #expect(desk.lanes.takeFinished() == batches)
    #expect(desk.result(of: batches[1], "8.8.8.9") == ["networkLost"])
    _ = desk.ask("8.8.8.8")
    #expect(desk.next(Desk.arin) != nil)
  }

  @Test func `a redirect moves the lane to the other registry`() throws {
    let desk = Desk()
    let batch = desk.ask("8.8.8.8", "8.8.8.9")
    let question = try #require(desk.next(Desk.arin))
    let service = "https://rdap.db.ripe.net/"
    let route = try #require(RegistryRoute(to: service, about: question.address, mirror: nil))
    desk.lanes.take(.moved(route), of: question)
    #expect(desk.next(Desk.arin) == nil)
    let moved = try #require(desk.next(Desk.ripe))
    #expect(moved.address == question.address && moved.turn == question.turn && moved.route != nil)
    desk.lanes.take(.failed(.failed), of: moved)
    #expect(desk.lanes.takeFinished() == [batch])
  }

  @Test func `what only a cancelled batch wants is asked of nobody`() throws {
    let desk = Desk()
    let batches = [desk.ask("8.8.8.8", "8.8.9.8"), desk.ask("8.8.9.9")]
    let question = try #require(desk.next(Desk.arin))
    desk.lanes.abandon(batches[0])
    #expect(!desk.lanes.isWanted(question) && !desk.lanes.isIdle)
    desk.lanes.take(.cancelled, of: question)
    #expect(desk.next(Desk.arin)?.address == address("8.8.9.9"))
    #expect(desk.next(Desk.arin) == nil)
  }

  @Test func `when no more is asked, questions under way come to their ends`() throws {
    let desk = Desk()
    let batches = [desk.ask("8.8.8.8"), desk.ask("8.8.9.8")]
    let question = try #require(desk.next(Desk.arin))
    desk.lanes.stop()
    #expect(desk.lanes.takeFinished() == [batches[1]])
    #expect(desk.result(of: batches[1], "8.8.9.8") == nil)
    desk.answer(question, 24)
    #expect(desk.lanes.takeFinished() == [batches[0]])
    #expect(desk.result(of: batches[0], "8.8.8.8") == ["/24"])
    let late = desk.ask("8.8.8.9", "9.9.9.9")
    #expect(desk.lanes.takeFinished() == [late] && desk.result(of: late, "9.9.9.9") == nil)
  }

  @Test func `who has nobody to ask is unknown, or what the lists' loss makes it`() {
    let nowhere = Desk(place: .nowhere)
    let unknown = nowhere.ask("8.8.8.8")
    #expect(nowhere.lanes.takeFinished() == [unknown])
    #expect(nowhere.result(of: unknown, "8.8.8.8") == ["unknown"])
    let closed = Desk(place: .closed(.networkLost))
    let lost = closed.ask("8.8.8.8")
    #expect(closed.result(of: lost, "8.8.8.8") == ["networkLost"])
  }

  @Test func `a lane with several registries is asked about at each`() throws {
    let desk = Desk(reuse: .range)
    desk.lanes = OwnerLanes(reuse: .range) { address in
      .registry((address.ipv4 ?? 0) & 1 == 0 ? Desk.arin : Desk.ripe)
    }
    let batch = desk.ask("8.8.8.8", "8.8.9.9")
    desk.answer(try #require(desk.next(Desk.arin)), 24)
    #expect(desk.next(Desk.arin) == nil)
    desk.answer(try #require(desk.next(Desk.ripe)), 24)
    #expect(desk.lanes.takeFinished() == [batch])
  }
}
