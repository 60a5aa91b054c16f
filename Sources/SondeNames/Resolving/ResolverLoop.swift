import Glibc
import SondeAddresses
import SondeSystem

/// Sends all questions of a resolver, on one thread.
final class ResolverLoop {
  /// The destination of a result.
  typealias Place = (batch: NameBatch, index: Int)

  /// A running look-up.
  final class Job {
    var lookup: NameLookup
    /// The destinations of its result, for all who requested its address.
    var places: [Place]

    init(_ lookup: NameLookup, for place: Place) { (self.lookup, places) = (lookup, [place]) }

    /// Whether its result is still needed.
    var isWanted: Bool { places.contains { !$0.batch.isEnded } }

    func settle(_ names: HostNames) {
      for place in places { place.batch.settle(place.index, names) }
    }
  }

  /// A question of a job to be sent, possibly again.
  struct Pending {
    let job: Job
    let question: NameLookup.Question
    /// The number of attempts without a meaningful answer.
    var attempts = 0
    /// The number of these without any answer.
    var silences = 0
    /// Whether to use TCP, because the answer is too long for a datagram.
    var isStream = false
    /// The server to ask, or asked last; `nil` for the preferred one.
    var server: Int?
  }

  /// A pending question.
  struct Flight {
    let pending: Pending
    let began: Duration
  }

  /// A server and its pending questions.
  struct Server {
    let place: NameServer
    let datagrams: NameChannel
    var stream: NameChannel?
  }

  /// The pause before a retry after SERVFAIL.
  static let retryDelay = Duration.milliseconds(500)

  let inbox: ResolverInbox
  let configuration: NameResolver.Configuration
  var servers: [Server] = []
  var preferred = 0
  var pace = ResolverPace(isPublic: false)
  var presence = Presence()
  var tries: Tries
  var flights = Slots<Flight>()
  var ready = Queue<Pending>()
  var delayed = Queue<(due: Duration, pending: Pending)>()
  /// Questions whose failure may be due to the network.
  var held: [Pending] = []
  var waiting = Queue<Place>()
  /// The running look-ups, at most one per subject and address.
  private var jobs: [NameSubject: [Address: Job]] = [:]
  /// Whether to send no more questions.
  var isStopped = false
  var probe: ResolverProbe?

  init(_ inbox: ResolverInbox, _ configuration: NameResolver.Configuration) {
    (self.inbox, self.configuration) = (inbox, configuration)
    tries = Tries(retries: configuration.retries)
  }

  /// Runs until the resolver is released.
  func run() {
    while let work = inbox.take() {
      receive(work)
      repeat { send() } while takeEnds()
      wait()
    }
    probe?.end(.silent)
  }

  private func receive(_ work: ResolverInbox.Work) {
    if let (reason, batches) = work.abandonment {
      loseAll(reason)
      for batch in batches { Self.lose(batch, reason) }
    }
    for batch in work.batches {
      for index in batch.addresses.indices { waiting.append((batch, index)) }
    }
    if work.stops || isStopped { stop() }
    for asker in work.askers { startProbe().askers.append(asker) }
  }

  /// Sends the questions that may be sent now.
  private func send() {
    let now = Clocks.steady
    while let first = delayed.first, first.due <= now {
      _ = delayed.popFirst()
      ready.append(first.pending)
    }
    while !presence.isDoubted, pace.next(now: now).map({ $0 <= now }) ?? false,
      let pending = ready.popFirst() ?? begin()
    {
      ask(pending, now: now)
    }
  }

  /// Starts the next look-up that is still needed.
  private func begin() -> Pending? {
    while let place = waiting.popFirst() {
      guard !place.batch.isEnded else { continue }
      let (address, subject) = (place.batch.addresses[place.index], place.batch.subject)
      if let job = jobs[subject]?[address] {
        job.places.append(place)
        continue
      }
      let lookup = NameLookup(address, subject, confirms: configuration.confirms)
      let job = Job(lookup, for: place)
      jobs[subject, default: [:]][address] = job
      return Pending(job: job, question: .pointers)
    }
    return nil
  }

  private func ask(_ pending: Pending, now: Duration) {
    let lookup = pending.job.lookup
    guard pending.job.isWanted else {
      return take(pending) { $0.take(.unanswered("cancelled"), to: $1) }
    }
    guard let text = lookup.text(of: pending.question) else {
      return take(pending) { $0.takeRefusal(of: $1) }
    }
    var pending = pending
    do {
      if servers.isEmpty { try openServers() }
      let number = (pending.server ?? preferred) % servers.count
      pending.server = number
      let channel = try channel(number, overTCP: pending.isStream)
      pace.begin(now: now)
      let flight = flights.insert(Flight(pending: pending, began: now))
      channel.ask(text, lookup.type(of: pending.question), number: flight)
    } catch {
      take(pending) { $0.take(.networkLost("\(error)"), to: $1) }
    }
  }

  private func openServers() throws(NameError) {
    for place in try NameResolver.servers(at: configuration.place) {
      let channel = try NameChannel(
        to: place,
        timeout: configuration.timeout,
        capacity: ResolverPace.mostUnderWay
      )
      servers.append(Server(place: place, datagrams: channel))
    }
    preferred = 0
    pace = ResolverPace(isPublic: servers.contains { $0.place.address.isPublic })
  }

  private func channel(_ number: Int, overTCP isStream: Bool) throws(NameError) -> NameChannel {
    guard isStream else { return servers[number].datagrams }
    if let stream = servers[number].stream { return stream }
    let stream = try NameChannel(
      to: servers[number].place,
      overTCP: true,
      timeout: configuration.timeout,
      capacity: ResolverPace.mostUnderWay
    )
    servers[number].stream = stream
    return stream
  }

  /// Applies a change to a look-up, and takes its next step.
  func take(
    _ pending: Pending,
    _ change: (inout NameLookup, NameLookup.Question) -> NameLookup.Step
  ) {
    let job = pending.job
    switch change(&job.lookup, pending.question) {
    case .ask(let question): ready.append(Pending(job: job, question: question))
    case .confirm(let count):
      for name in 0..<count { ready.append(Pending(job: job, question: .addresses(name))) }
    case .wait: break
    case .done(let names):
      jobs[job.lookup.subject]?[job.lookup.address] = nil
      job.settle(names)
    }
  }
}

// MARK: - Waiting

extension ResolverLoop {
  /// Waits until an answer arrives, there is input, or something is due.
  private func wait() {
    let channels =
      servers.flatMap { [$0.datagrams, $0.stream].compactMap(\.self) } + (probe?.channels ?? [])
    var entries = [pollfd(fd: inbox.bell.readEnd, events: Int16(POLLIN), revents: 0)]
    entries += channels.map(\.interest)
    // Computing the time to wait is only worthwhile if there is nothing to do.
    if unsafe poll(&entries, nfds_t(entries.count), 0) == 0 {
      _ = unsafe poll(&entries, nfds_t(entries.count), timeLeft(channels).wholeMilliseconds)
    }
    if entries[0].revents != 0 { inbox.bell.clear() }
    for (channel, entry) in zip(channels, entries.dropFirst()) { channel.advance(entry) }
  }

  private func timeLeft(_ channels: [NameChannel]) -> Duration {
    let now = Clocks.steady
    let permit =
      presence.isDoubted || ready.first == nil && waiting.first == nil ? nil : pace.next(now: now)
    let dues = [permit, delayed.first?.due].compactMap(\.self).map { max($0 - now, .zero) }
    return (dues + channels.map(\.timeLeft)).min() ?? .seconds(60)
  }
}
