import TestSupport
import Testing

@testable import SondeAddresses

@Suite struct AddressReachTests {
  private static let near = [
    "127.0.0.1", "169.254.169.254", "10.1.2.3", "172.31.255.255", "192.168.0.1", "100.64.0.1",
    "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1",
    "::", "::1", "fe80::1", "fec0::1", "fc00::1", "fdff::1", "ff02::1", "2001:db8::1", "3fff::1",
    // Mapped.
    "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1",
    // NAT64: the well-known prefix, and those for private use.
    "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::a00:1", "64:ff9b:1::8.8.8.8",
    // 6to4.
    "2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:c0a8:1:2:3:4:5:6", "2002:0a00:0001::1",
    // Teredo: the client 127.0.0.1, the client 169.254.169.254, the server 10.0.0.1.
    "2001:0:808:808:0:0:80ff:fffe", "2001:0:808:808::5601:5601", "2001:0:a00:1::f7f7:f7f7",
    // Compatible and translated forms of old, and what is not assigned.
    "::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b:0:0:1::808:808", "200::1", "4000::1",
    "64:ff9c::1", "5f00::1", "100::1",
  ]

  private static let open = [
    "8.8.8.8", "1.1.1.1", "172.32.0.1", "192.0.0.9", "2606:4700::1111", "2001:4860:4860::8888",
    "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:0:808:808::f7f7:f7f7",
  ]

  @Test func `what leads to the public Internet is told from what does not`() throws {
    let address = { (text: String) in try #require(Address(text)) }
    #expect(try Self.near.filter { try address($0).isPublic } == [])
    #expect(try Self.open.filter { try !address($0).isPublic } == [])
  }

  @Test func `the bytes of a packet are an address`() {
    #expect(Address(bytes: [127, 0, 0, 1]) == Address("127.0.0.1"))
    #expect(Address(bytes: [UInt8](repeating: 0, count: 15) + [1]) == Address("::1"))
    let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff, 10, 0, 0, 1]
    #expect(Address(bytes: mapped) == Address("10.0.0.1"))
    #expect(Address(bytes: []) == nil)
    #expect(Address(bytes: [1, 2, 3, 4, 5]) == nil)
  }
}
