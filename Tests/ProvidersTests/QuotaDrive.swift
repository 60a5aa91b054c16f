import SondeProviders
import TestSupport

/// Drives a quota against a server over a network whose delays are all different and which loses
/// requests, in a time of its own.
struct QuotaDrive {
  /// How the network treats requests.
  struct Network {
    /// The time that a request or an answer is under way at the least, in milliseconds.
    var delay = 2
    /// What comes on top, at random: mostly little, for one message in ten all of it.
    var jitter = 0
    /// How many requests in a hundred are lost before the server sees them, and as many after.
    var losses = 0
    /// How many requests in a hundred a proxy answers with a fault that tells nothing of the quota,
    /// before the server sees them, and as many after.
    var faults = 0
    /// How many requests in a hundred are given up as soon as they are sent, as by a process that is
    /// killed; the server sees them all the same.
    var deaths = 0
    /// How long a lost request is waited for.
    var timeout = Duration.milliseconds(700)
  }

  var quota: Quota
  var server: SimulatedServer
  var network = Network()
  var concurrency = 8
  /// Requests of another client that uses the same quota, at random times, in a second.
  var foreign = 0
  var generator: SeededGenerator

  private(set) var now = Duration.zero
  private(set) var answered = 0
  private(set) var sent = 0
  private var events: [Event] = []
  private var underWay = 0

  /// What becomes of a request that the server sees.
  private enum Fate {
    case answered, lost, faulty
  }

  private enum Occurrence {
    case arrival(Quota.Ticket, Fate)
    case answer(Quota.Ticket, QuotaNotice)
    case loss(Quota.Ticket)
    case foreign
    case wake
  }

  private struct Event {
    let at: Duration
    let what: Occurrence
  }

  init(quota: Quota, server: SimulatedServer, seed: UInt64) {
    self.quota = quota
    self.server = server
    generator = SeededGenerator(seed: seed)
  }

  /// Sends requests until so many have been answered, at most for a day; returns the time taken.
  @discardableResult
  mutating func run(_ count: Int) -> Duration {
    if foreign > 0 { schedule(.foreign, in: pause(for: foreign)) }
    send(upTo: count)
    while answered < count, now < .seconds(86_400), let event = popFirst() {
      now = event.at
      happen(event.what)
      send(upTo: count)
    }
    return now
  }

  private mutating func happen(_ occurrence: Occurrence) {
    switch occurrence {
    case .arrival(let ticket, let fate):
      let notice = server.take(at: now)
      guard fate != .lost else { return }
      schedule(.answer(ticket, fate == .faulty ? QuotaNotice() : notice), in: delay())
    case .answer(let ticket, let notice):
      underWay -= 1
      quota.settle(ticket, .answered(notice), now: now)
      if notice.isAnswer { answered += 1 }
    case .loss(let ticket):
      underWay -= 1
      quota.settle(ticket, .lost, now: now)
    case .foreign:
      server.count(at: now)
      schedule(.foreign, in: pause(for: foreign))
    case .wake: break
    }
  }

  private mutating func send(upTo count: Int) {
    while underWay < concurrency, answered + underWay < count {
      switch quota.reserve(now: now) {
      case .send(let ticket): send(ticket)
      case .wait(let until), .spent(let until): return schedule(.wake, in: until - now)
      case .waitForAnswer(let until):
        if let until { schedule(.wake, in: until - now) }
        return
      }
    }
  }

  private mutating func send(_ ticket: Quota.Ticket) {
    underWay += 1
    sent += 1
    let number = Int.random(in: 0..<100, using: &generator)
    // Before the first answer nobody can know of a limit below the published one.
    let mayBeUnheard = answered > 0
    switch number {
    case ..<network.losses where mayBeUnheard: schedule(.loss(ticket), in: network.timeout)
    case ..<(2 * network.losses) where mayBeUnheard:
      schedule(.loss(ticket), in: network.timeout)
      schedule(.arrival(ticket, .lost), in: delay())
    case ..<(2 * network.losses + network.deaths) where mayBeUnheard:
      schedule(.loss(ticket), in: .zero)
      schedule(.arrival(ticket, .lost), in: delay())
    case (100 - network.faults)...: schedule(.answer(ticket, QuotaNotice()), in: delay())
    case (100 - 2 * network.faults)... where mayBeUnheard:
      schedule(.arrival(ticket, .faulty), in: delay())
    default: schedule(.arrival(ticket, .answered), in: delay())
    }
  }

  private mutating func delay() -> Duration {
    let isSlow = Int.random(in: 0..<10, using: &generator) == 0
    let most = isSlow ? network.jitter : network.jitter / 10
    return .milliseconds(network.delay + Int.random(in: 0...most, using: &generator))
  }

  private mutating func pause(for rate: Int) -> Duration {
    .milliseconds(Int.random(in: 1...2000 / rate, using: &generator))
  }

  private mutating func schedule(_ what: Occurrence, in time: Duration) {
    events.append(Event(at: now + max(time, .zero), what: what))
  }

  private mutating func popFirst() -> Event? {
    let first = events.indices.min { events[$0].at < events[$1].at }
    return first.map { events.remove(at: $0) }
  }
}
