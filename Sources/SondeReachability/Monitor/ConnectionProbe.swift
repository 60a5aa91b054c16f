internal import Glibc
import SondeSystem

/// Tries the path to an endpoint by opening a TCP connection and closing it again.
///
/// A refused connection proves that the path is open, too, because the host answered.
public struct ConnectionProbe: Sendable {
  private let endpoint: Endpoint
  private let timeout: Duration

  /// Creates a probe, which sends nothing until it is called.
  ///
  /// The time limit is that of connecting; the caller limits name resolution.
  public init(endpoint: Endpoint, timeout: Duration) {
    (self.endpoint, self.timeout) = (endpoint, timeout)
  }

  /// Resolves the name and connects on a separate thread.
  public func callAsFunction() async -> Finding { await measure().finding }

  /// Resolves the name and connects on a separate thread, and measures how.
  public func measure() async -> Measurement {
    guard let addresses = await resolve() else { return Measurement(.notResolved) }
    return await connect(to: addresses)
  }

  /// Resolves the name; `nil` if it does not resolve.
  func resolve() async -> [SocketAddress]? {
    if let literal = endpoint.literalAddresses { return literal }
    return await onThread(.resolving, otherwise: nil) { endpoint.resolve() }
  }

  /// Connects to the address that answers first.
  func connect(to addresses: [SocketAddress]) async -> Measurement {
    await onThread(.connecting, otherwise: Measurement(.inconclusive)) {
      var race = ConnectionRace(addresses)
      return race.run(until: Clocks.steady + timeout)
    }
  }
}

/// Connects to several addresses at once.
private struct ConnectionRace: ~Copyable {
  private var pending: [pollfd] = []
  private var found: Set<Finding> = []
  private let began = Clocks.steady
  /// The first answer.
  private var answer: Measurement?

  init(_ addresses: [SocketAddress]) {
    // Two addresses of each family are enough to judge the path.
    let chosen = IPAddress.Family.allCases.flatMap { family in
      addresses.filter { $0.address.family == family }.prefix(2)
    }
    for address in chosen { begin(address) }
  }

  deinit { for entry in pending { close(entry.fd) } }

  private mutating func begin(_ address: SocketAddress) {
    let descriptor = address.makeSocket(SOCK_STREAM)
    guard descriptor >= 0 else { return }
    let error = address.connect(descriptor)
    if error == EINPROGRESS {
      pending.append(pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0))
    } else {
      end(descriptor, with: error)
    }
  }

  private mutating func end(_ descriptor: Int32, with error: Int32) {
    let finding = Finding(connectError: error)
    if finding == .provedOpen, answer == nil {
      answer = Measurement(
        finding,
        connect: Clocks.steady - began,
        isResent: hasResent(descriptor)
      )
    }
    found.insert(finding)
    close(descriptor)
  }

  mutating func run(until deadline: Duration) -> Measurement {
    while answer == nil, !pending.isEmpty {
      let left = deadline - Clocks.steady
      guard left > .zero else {
        found.insert(.timedOut)
        break
      }
      let count = unsafe poll(&pending, nfds_t(pending.count), left.wholeMilliseconds)
      if count > 0 { collect() }
    }
    let losses = [Finding.timedOut, .notPermitted, .noRoute]
    return answer ?? Measurement(losses.first(where: found.contains) ?? .inconclusive)
  }

  private mutating func collect() {
    for entry in pending where entry.revents != 0 {
      var error: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      unsafe getsockopt(entry.fd, SOL_SOCKET, SO_ERROR, &error, &size)
      end(entry.fd, with: error)
    }
    pending.removeAll { $0.revents != 0 }
  }
}

/// Whether a connection's first packet was sent more than once.
private func hasResent(_ descriptor: Int32) -> Bool {
  var information = tcp_info()
  var size = socklen_t(MemoryLayout<tcp_info>.size)
  let code = unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &size)
  return code == 0 && information.tcpi_total_retrans > 0
}

extension Finding {
  /// The meaning of the result of `connect` (connect(2)).
  init(connectError error: Int32) {
    self =
      switch error {
      case 0, ECONNREFUSED, ECONNRESET: .provedOpen
      case ETIMEDOUT: .timedOut
      // A blackhole route answers EINVAL, a source address that was just lost EADDRNOTAVAIL.
      case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EINVAL: .noRoute
      case EACCES, EPERM: .notPermitted
      case _: .inconclusive
      }
  }
}
