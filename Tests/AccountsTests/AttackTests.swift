import Testing

@testable import SondeAccounts

/// Plays attacks in no time: 20 wrong passwords a second from 50 addresses for a minute, while
/// somebody logs in 100 times from a clean address, or from another one each time.
@Suite struct AttackTests {
  private struct Request {
    let attempt: LogInThrottle.Attempt
    let isRight: Bool
    let at: Duration
    var rank = 0
  }

  /// Hashes one at a time as the queue does.
  private struct Server {
    /// Twice what a hash takes on one core that does nothing else.
    let hash = Duration.milliseconds(180)
    var throttle = LogInThrottle()
    var order = HashOrder()
    var requests: [HashOrder.Ticket: Request] = [:]
    var current: (ticket: HashOrder.Ticket, end: Duration)?
    /// How long each of the right log-ins took; `nil` where it was refused.
    var times: [Duration?] = []

    mutating func run(until now: Duration) {
      while let (ticket, end) = current, end <= now {
        if let request = requests.removeValue(forKey: ticket) {
          throttle.end(request.attempt, request.isRight ? .succeeded : .failed, end)
          if request.isRight { times.append(end - request.at) }
        }
        current = order.finish().map { ($0, end + hash) }
      }
    }

    mutating func arrive(_ request: Request, _ ticket: HashOrder.Ticket) {
      run(until: request.at)
      guard case .admitted(let rank) = throttle.admit(request.attempt, request.at) else {
        if request.isRight { times.append(nil) }
        return
      }
      requests[ticket] = request
      switch order.arrive(ticket, rank: rank) {
      case .begins: current = (ticket, request.at + hash)
      case .waits(let displaced): if let displaced { refuse(displaced, request.at) }
      case .refused: refuse(ticket, request.at)
      }
    }

    private mutating func refuse(_ ticket: HashOrder.Ticket, _ now: Duration) {
      guard let request = requests.removeValue(forKey: ticket) else { return }
      throttle.end(request.attempt, .abandoned, now)
      if request.isRight { times.append(nil) }
    }
  }

  private func play(
    _ rate: Int,
    isMoving: Bool,
    account: (Int) -> AccountMark
  ) -> [Duration?] {
    var requests = (0..<60 * rate).map { number in
      let attempt = LogInThrottle.Attempt(
        account: account(number),
        address: .numbered(number % 50)
      )
      return Request(attempt: attempt, isRight: false, at: .seconds(60) * number / (60 * rate))
    }
    requests += (0..<100).map { number in
      let address = ClientAddress([198, 51, 100, UInt8(isMoving ? number : 0)])
      let attempt = LogInThrottle.Attempt(account: AccountMark("0"), address: address)
      return Request(attempt: attempt, isRight: true, at: .milliseconds(number * 600 + 13))
    }
    requests.sort { $0.at < $1.at }
    var server = Server()
    for (ticket, request) in zip(HashOrder.Ticket(0)..., requests) {
      server.arrive(request, ticket)
    }
    server.run(until: .seconds(120))
    return server.times
  }

  @Test(arguments: [20, 1000], [false, true])
  func `over one account, its user gets in within a second`(rate: Int, isMoving: Bool) {
    let times = play(rate, isMoving: isMoving) { _ in AccountMark("0") }
    #expect(times.count == 100)
    #expect(times.count { ($0 ?? .seconds(60)) < .seconds(1) } >= 99, "\(times)")
  }

  @Test(arguments: [20, 1000], [false, true])
  func `sprayed over 500 accounts, their users get in within a second`(rate: Int, isMoving: Bool) {
    let times = play(rate, isMoving: isMoving) { AccountMark("\($0 % 500)") }
    #expect(times.count == 100)
    #expect(times.count { ($0 ?? .seconds(60)) < .seconds(1) } >= 99, "\(times)")
  }
}
