import Testing

@testable import SondeProviders

@Suite struct QuotaScenarioTests {
  private let published = Quota(allowance: Allowance(requests: 15, per: .seconds(60)))

  /// The scenarios that drew a 429.
  private func throttled(
    _ network: QuotaDrive.Network,
    _ servers: [SimulatedServer],
    requests: Int = 150
  ) -> [String] {
    var broken: [String] = []
    for (number, server) in servers.enumerated() {
      for seed in 1...4 as ClosedRange<UInt64> {
        for concurrency in [2, 8, 40] {
          var drive = QuotaDrive(quota: published, server: server, seed: seed)
          drive.network = network
          drive.concurrency = concurrency
          drive.run(requests)
          if drive.server.throttled > 0 || drive.answered < requests {
            let (rest, throttled) = (requests - drive.answered, drive.server.throttled)
            broken.append("\(number)/\(seed)/\(concurrency): \(throttled) throttled, \(rest) open")
          }
        }
      }
    }
    return broken
  }

  private func servers(_ start: SimulatedServer.Start) -> [SimulatedServer] {
    [1, 2, 15, 45].flatMap { limit in
      [2, 10, 60].map { seconds in
        SimulatedServer(limit: limit, length: .seconds(seconds), start: start)
      }
    }
  }

  @Test(arguments: [0, 50, 900, 6000])
  func `answers out of order draw no 429`(jitter: Int) {
    let network = QuotaDrive.Network(jitter: jitter)
    #expect(throttled(network, servers(.firstRequest)) == [])
  }

  @Test(arguments: [0, 50, 900, 6000])
  func `windows that begin by the clock draw no 429`(jitter: Int) {
    let network = QuotaDrive.Network(jitter: jitter)
    #expect(throttled(network, servers(.clock(lateBy: 1370))) == [])
  }

  @Test(arguments: [1, 5, 20])
  func `requests lost in mid-window draw no 429`(losses: Int) {
    let network = QuotaDrive.Network(jitter: 100, losses: losses)
    let servers = servers(.firstRequest) + servers(.clock(lateBy: 1370))
    #expect(throttled(network, servers, requests: 60) == [])
  }

  @Test(arguments: [0, 1, 5, 20])
  func `requests of the killed draw no 429 although they arrive late`(deaths: Int) {
    let network = QuotaDrive.Network(jitter: 1900, deaths: deaths)
    let servers = servers(.firstRequest) + servers(.clock(lateBy: 1370))
    #expect(throttled(network, servers, requests: 300) == [])
  }

  @Test(arguments: [5, 20, 40])
  func `faults without a count draw no 429`(faults: Int) {
    let network = QuotaDrive.Network(jitter: 100, losses: 1, faults: faults)
    let servers = servers(.firstRequest) + servers(.clock(lateBy: 1370))
    #expect(throttled(network, servers, requests: 60) == [])
  }

  @Test(arguments: [(2, 0.9), (10, 0.95), (60, 0.95)])
  func `windows are used up whenever they begin`(seconds: Int, share: Double) {
    let length = Duration.seconds(seconds)
    for start in [SimulatedServer.Start.firstRequest, .clock(lateBy: 0)] {
      var drive = QuotaDrive(
        quota: published,
        server: SimulatedServer(limit: 15, length: length, start: start),
        seed: 1
      )
      drive.network.jitter = 20
      let time = drive.run(150)
      // Ten windows, of which the last one need not end.
      #expect(time < length * 9 / share)
      #expect(drive.server.throttled == 0)
    }
  }

  @Test func `what another client uses is left to it`() {
    for seed in 1...8 as ClosedRange<UInt64> {
      let server = SimulatedServer(limit: 45, length: .seconds(10), start: .clock(lateBy: 0))
      var drive = QuotaDrive(quota: published, server: server, seed: seed)
      drive.network.jitter = 20
      drive.foreign = 2
      drive.run(200)
      // Only what the other one took while a request was on its way can be in its way.
      #expect(drive.answered == 200)
      #expect(drive.server.throttled <= 2)
    }
  }

  @Test func `a mirror without a quota is asked without one`() {
    let server = SimulatedServer(limit: .max, length: .seconds(60), tellsQuota: false)
    let quota = Quota(allowance: Allowance(requests: 15, per: .seconds(60)), isFirm: false)
    var drive = QuotaDrive(quota: quota, server: server, seed: 1)
    #expect(drive.run(1000) < .seconds(2))
  }

  @Test func `without headers a firm limit is kept by our own count`() {
    let server = SimulatedServer(limit: 15, length: .seconds(60), tellsQuota: false)
    var drive = QuotaDrive(quota: published, server: server, seed: 1)
    #expect(drive.run(45) < .seconds(121))
    #expect(drive.server.throttled == 0)
  }
}
