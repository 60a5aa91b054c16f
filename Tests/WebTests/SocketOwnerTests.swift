import Glibc
import Testing

@testable import SondeWeb

@Suite struct SocketOwnerTests {
  private func ends(_ own: String, _ ownPort: UInt16, _ other: String, _ port: UInt16) throws
    -> SocketOwner.Ends
  {
    SocketOwner.Ends(
      try #require(NumericAddress(own)),
      ownPort,
      try #require(NumericAddress(other)),
      port
    )
  }

  private let list = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:9C40 0101537F:1F75 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1
       1: 0100007F:9C41 0101537F:1F75 06 00000000:00000000 00:00000000 00000000     0        0 0 1
       2: 0000000000000000FFFF00000100007F:9C42 0000000000000000FFFF00000101537F:1F75 01 0:0 0:0 0 7 0 8 1
       3: 00000000000000000000000001000000:9C43 00000000000000000000000001000000:1F75 01 0:0 0:0 0 9 0 8 1
    """

  @Test func `the kernel's list tells whose a socket is`() throws {
    func user(_ ends: SocketOwner.Ends) -> UInt32? { SocketOwner.user(of: ends, in: list) }
    #expect(user(try ends("127.0.0.1", 40000, "127.83.1.1", 8053)) == 1000)
    // One without an inode is nobody's.
    #expect(user(try ends("127.0.0.1", 40001, "127.83.1.1", 8053)) == nil)
    #expect(user(try ends("127.0.0.1", 40002, "127.83.1.1", 8053)) == 7)
    #expect(user(try ends("::1", 40003, "::1", 8053)) == 9)
    #expect(user(try ends("::1", 40004, "::1", 8053)) == nil)
  }

  @Test func `an answer of sock_diag tells the user of a socket with an inode`() {
    var answer = [UInt8](repeating: 0, count: 88)
    (answer[4], answer[80], answer[84]) = (20, 7, 1)
    #expect(SocketOwner.user(in: answer) == 7)
    answer[84] = 0
    #expect(SocketOwner.user(in: answer) == nil)
    (answer[4], answer[84]) = (2, 1)
    #expect(SocketOwner.user(in: answer) == nil && SocketOwner.user(in: []) == nil)
  }

  @Test func `a socket of this process is ours`() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { for number in [listener, client] { close(number) } }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        #expect(unsafe bind(listener, name, size) == 0 && listen(listener, 1) == 0)
        #expect(unsafe getsockname(listener, name, &size) == 0)
        #expect(unsafe connect(client, name, size) == 0)
      }
    }
    let server = accept(listener, nil, nil)
    defer { close(server) }
    #expect(SocketOwner.isOurs(peerOf: server))
    #expect(!SocketOwner.isOurs(peerOf: -1))
  }
}
