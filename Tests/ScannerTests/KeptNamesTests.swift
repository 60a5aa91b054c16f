import SondeAddresses
import SondeNames
import SondeStore
import Testing

@testable import SondeSources

@Suite struct KeptNamesTests {
  @Test(
    arguments: [
      HostNames(
        names: ["a.example", #"b\032.example"#],
        status: .confirmed,
        lifetime: .seconds(600)
      ),
      HostNames(names: ["a.example"], status: .unconfirmed, lifetime: .seconds(300)),
      HostNames(names: [], status: .none, lifetime: .seconds(86_400)),
      HostNames(names: [], status: .failed, lifetime: .seconds(300), reason: "SERVFAIL"),
    ]
  ) func `names are kept as they are`(names: HostNames) throws {
    let address = try #require(Address("192.0.2.1"))
    let kept = try #require(names.kept(of: address))
    #expect(kept.key == address.keptKey)
    #expect(kept.lifetime == names.lifetime)
    let read = try #require(HostNames(kept: kept.text))
    #expect((read.names, read.status) == (names.names, names.status))
  }

  @Test func `a loss of the network is not kept`() throws {
    let address = try #require(Address("192.0.2.1"))
    #expect(HostNames.lost("gone", known: []).kept(of: address) == nil)
    #expect(HostNames(kept: Array("network_lost".utf8)) == nil)
  }

  @Test(arguments: ["", "\n", "maybe\na.example", "\u{0}"])
  func `what was not written so is not read`(text: String) {
    #expect(HostNames(kept: Array(text.utf8)) == nil)
  }

  @Test(
    arguments: [
      ("10.0.0.1", true), ("172.31.255.255", true), ("192.168.1.1", true), ("100.64.0.1", true),
      ("169.254.1.1", true), ("127.0.0.1", true), ("fd00::1", true), ("fe80::1", true),
      ("::1", true),
      ("192.0.2.1", false), ("224.0.0.1", false), ("0.0.0.0", false), ("240.0.0.1", false),
      ("2001:db8::1", false), ("ff02::1", false), ("8.8.8.8", false),
    ]
  ) func `private addresses are those in use inside networks`(text: String, isPrivate: Bool) throws
  {
    #expect(try #require(Address(text)).isPrivate == isPrivate)
  }
}
