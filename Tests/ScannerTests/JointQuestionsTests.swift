import SondeAddresses
import SondeNames
import Testing

@testable import SondeSources

@Suite struct JointQuestionsTests {
  private let address = Address(ipv4: 0x0808_0808)
  private let names = HostNames(names: ["a.example"], status: .confirmed, lifetime: .seconds(600))

  private func enter(
    _ joint: JointQuestions,
    isFresh: Bool = false,
    after delay: Duration = .zero
  ) -> (own: [Address], HostNames?) {
    var known: [Address: HostNames] = [:]
    let own = joint.enter([address], isFresh: isFresh, known: &known, now: .now + delay)
    return (own, known[address])
  }

  @Test(.timeLimit(.minutes(1))) func `one asks, and others wait for the answer`() async {
    let joint = JointQuestions()
    #expect(enter(joint).own == [address])
    #expect(enter(joint).own == [] && enter(joint, isFresh: true).own == [])
    async let first = joint.answer(about: address)
    async let second = joint.answer(about: address)
    joint.finish([address], [address: names])
    #expect(await first == names)
    #expect(await second == names)
    // From then on it is known, unless it must be fresh.
    #expect(enter(joint) == ([], names))
    #expect(enter(joint, isFresh: true).own == [address])
    joint.finish([address], [address: names])
    #expect(enter(joint, after: .seconds(590)) == ([], names))
    #expect(enter(joint, after: .seconds(610)).own == [address], "it is too old")
  }

  @Test(.timeLimit(.minutes(1))) func `without an answer another asks`() async {
    let joint = JointQuestions()
    #expect(enter(joint).own == [address])
    async let waiting = joint.answer(about: address)
    joint.finish([address], [:])
    #expect(await waiting == nil)
    #expect(enter(joint).own == [address])
    joint.finish([address], [address: HostNames(names: [], status: .networkLost, lifetime: nil)])
    #expect(enter(joint).own == [address], "a loss is not remembered")
  }
}
