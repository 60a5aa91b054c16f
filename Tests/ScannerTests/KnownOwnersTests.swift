import SondeAddresses
import SondeProviders
import TestSupport
import Testing

@testable import SondeSources

private func address(_ text: String) -> Address {
  Address(text) ?? Address(ipv4: 0)
}

private func range(_ first: String, _ last: String) -> AddressRange {
  AddressRange(first: address(first), last: address(last))
    ?? AddressRange(block: address(first), length: 32)
}

/// An answer about an address: the network of a range, under its name.
private func answer(_ text: String, _ first: String, _ last: String) -> KnownOwners.Answer {
  let registration = Registration(range: range(first, last), name: "\(first) \(last)", abuse: [])
  let owner = Owner(outcome: .found(registration), registry: Registry(name: "arin"))
  return KnownOwners.Answer(address: address(text), owner: owner)
}

@Suite struct KnownOwnersTests {
  /// What is known of an address: whose network, with `~` where another one was asked about.
  private func names(_ known: KnownOwners, _ texts: String...) -> [String] {
    texts.map { text in
      guard let match = known.match(address(text)) else { return "-" }
      let name = match.owner.registration.map { "\($0.range.first)" } ?? "\(match.owner.outcome)"
      return (match.isInferred ? "~" : "") + name
    }
  }

  private func known(_ reuse: OwnerReuse) -> KnownOwners {
    var known = KnownOwners(reuse: reuse)
    known.note(answer("8.8.8.8", "8.8.8.0", "8.8.8.127"))
    known.note(answer("8.8.8.200", "8.0.0.0", "8.127.255.255"))
    known.note(answer("9.9.9.9", "9.9.8.0", "9.9.10.255"))
    known.note(answer("2001:db8::1", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"))
    return known
  }

  @Test func `an answer holds for its network within the same block`() {
    let known = known(.block)
    #expect(
      names(known, "8.8.8.8", "8.8.8.9", "8.8.8.201", "8.8.9.1", "9.9.9.1", "9.9.10.1")
        == ["8.8.8.0", "~8.8.8.0", "~8.0.0.0", "-", "~9.9.8.0", "-"]
    )
    #expect(names(known, "2001:db8:0:1::1", "2001:db8:1::1") == ["~2001:db8::", "-"])
  }

  @Test func `it may hold for all of its network, the narrowest first`() {
    let known = known(.range)
    #expect(
      names(known, "8.8.8.9", "8.9.9.9", "8.200.0.1", "9.9.10.1", "2001:db8:ffff::1", "2001:db9::1")
        == ["~8.8.8.0", "~8.0.0.0", "-", "~9.9.8.0", "~2001:db8::", "-"]
    )
  }

  @Test(arguments: [OwnerReuse.block, .range])
  func `an address that is asked about anew is known by the new answer alone`(reuse: OwnerReuse) {
    var known = known(reuse)
    known.renew([address("8.8.8.8"), address("8.8.8.9")])
    known.note(answer("8.8.8.8", "8.8.8.0", "8.8.8.127"))
    #expect(names(known, "8.8.8.8", "8.8.8.9", "8.8.8.10") == ["-", "-", "~8.8.8.0"])
    known.replace(answer("8.8.8.8", "8.8.8.8", "8.8.8.15"))
    #expect(names(known, "8.8.8.8", "8.8.8.9", "8.8.8.10") == ["8.8.8.8", "-", "~8.8.8.8"])
    known.reinstate([address("8.8.8.8"), address("8.8.8.9")])
    let around = names(known, "8.8.8.9", "8.8.8.16", "8.8.8.200")
    #expect(around == ["~8.8.8.8", "~8.0.0.0", "8.0.0.0"])
  }

  @Test func `it may hold for nothing else`() {
    #expect(names(known(.none), "8.8.8.8", "8.8.8.9") == ["8.8.8.0", "-"])
  }

  @Test func `that there is no network holds in its block; that nobody answered is not known`() {
    for (reuse, expected) in [(OwnerReuse.block, "~unknown"), (.range, "~unknown"), (.none, "-")] {
      var known = KnownOwners(reuse: reuse)
      known.note(.init(address: address("7.7.7.7"), owner: Owner(outcome: .unknown, registry: nil)))
      known.note(.init(address: address("6.6.6.6"), owner: Owner(outcome: .failed, registry: nil)))
      known.note(
        .init(address: address("5.5.5.5"), owner: Owner(outcome: .networkLost, registry: nil))
      )
      #expect(
        names(known, "7.7.7.7", "7.7.7.8", "6.6.6.6", "5.5.5.5") == ["unknown", expected, "-", "-"]
      )
    }
  }

  @Test func `what is kept is read again`() {
    let registration = Registration(
      range: range("8.8.7.0", "8.8.9.255"),
      name: "Example \u{e4}",
      abuse: ["a@b.example", "c@d.example"]
    )
    let owners = [
      Owner(outcome: .found(registration), registry: Registry(name: "lacnic")),
      Owner(
        outcome: .found(answer("::1", "::", "::2").owner.registration ?? registration),
        registry: nil
      ),
      Owner(outcome: .unknown, registry: Registry(name: "ripe")),
      Owner(outcome: .unknown, registry: nil),
    ]
    for owner in owners { #expect(owner.kept.flatMap { Owner(kept: $0) } == owner) }
    #expect(Owner(outcome: .failed, registry: nil).kept == nil)
  }

  @Test func `what was not kept so is nothing`() {
    let texts = [
      "a\nb", "arin\n8.8.8.8\nx\nname\n", "arin\n8.8.8.8\n8.8.8.7\nname\n", "a\nb\nc\nd\ne\nf",
    ]
    for text in texts { #expect(Owner(kept: Array(text.utf8)) == nil) }
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<1000 {
      let count = Int.random(in: 0..<40, using: &generator)
      _ = Owner(kept: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
  }
}
