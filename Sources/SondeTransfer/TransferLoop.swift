internal import CSondeCurl

/// Drives every transfer of a client; all of it, libcurl included, happens on one thread.
final class TransferLoop {
  private let inbox: Inbox
  private let configuration: HTTPClient.Configuration
  private let sockets = OpenSockets()
  private var current: MultiHandle
  /// Sets whose connections are given up, until their last transfer is done.
  private var retired: [MultiHandle] = []
  /// Sets and transfers that were given up and are not closed yet; nothing moves in them any more.
  private var shelf: (sets: [MultiHandle], transfers: [EasyHandle]) = ([], [])
  private var spare: [EasyHandle] = []
  private var active: [ObjectIdentifier: EasyHandle] = [:]
  private var lanes: [Endpoint: Lane<Exchange>] = [:]

  init(inbox: Inbox, configuration: HTTPClient.Configuration) throws(TransferError) {
    self.inbox = inbox
    self.configuration = configuration
    // Made once here too, so that an unusable configuration shows when the client is made.
    spare = [try EasyHandle(configuration, noting: sockets)]
    current = try Self.makeSet(configuration, sockets)
    inbox.replaceAlarm(current.alarm)
  }

  /// Runs until the client is gone.
  func run() {
    while let work = inbox.take() {
      if work.givesUpAll { giveUpAll(work.abandoned) }
      if work.dropsIdleConnections { dropIdleConnections() }
      for exchange in work.cancelled { abandon(exchange) }
      for exchange in work.arrivals {
        lanes[exchange.endpoint, default: Lane()].append(exchange)
        startNext(exchange.endpoint)
      }
      advance(current)
      if current.isUsed { clearShelf() }
      for multi in retired { advance(multi) }
      retired.removeAll { $0.count == 0 }
      if inbox.beginSleep() { sleep() }
    }
    endAll()
  }

  private func sleep() {
    // Only one set can be waited for, so the few seconds that others remain are spent looking.
    let milliseconds: Int32 = retired.isEmpty ? 60_000 : 5
    if !current.poll(milliseconds: milliseconds) { giveUp(current) }
  }

  private func advance(_ multi: MultiHandle) {
    guard multi.perform() else { return giveUp(multi) }
    while let (easy, code) = multi.nextFinished() { complete(easy, code) }
  }
}

// MARK: - From request to outcome

extension TransferLoop {
  private func startNext(_ endpoint: Endpoint) {
    let limit = max(1, configuration.maximumConnections)
    while let exchange = lanes[endpoint]?.next(limit: limit) {
      if exchange.isFinished || !start(exchange) { lanes[endpoint]?.finish() }
    }
    if lanes[endpoint]?.isIdle == true { lanes[endpoint] = nil }
  }

  /// Hands an exchange to libcurl, or fails it.
  private func start(_ exchange: Exchange) -> Bool {
    do {
      let easy = try spare.popLast() ?? EasyHandle(configuration, noting: sockets)
      try easy.prepare(exchange)
      guard current.add(easy) else {
        throw exchange.error(.misconfigured("libcurl refused it"), phase: .preparing)
      }
      active[ObjectIdentifier(exchange)] = easy
      return true
    } catch {
      exchange.finish(.failure(error))
      return false
    }
  }

  private func complete(_ easy: EasyHandle, _ code: CURLcode) {
    guard let exchange = easy.exchange else { return }
    // First of all, so that whoever waits is resumed while this thread tidies up.
    exchange.finish(easy.outcome(code))
    release(easy, of: exchange, isReusable: code == CURLE_OK)
  }

  /// Ends the transfer of a cancelled exchange, if it still runs; one that waits is passed over when
  /// its turn comes, one that is done is no more to be found.
  private func abandon(_ exchange: Exchange) {
    guard let easy = active[ObjectIdentifier(exchange)] else { return }
    release(easy, of: exchange, isReusable: false)
  }

  private func release(_ easy: EasyHandle, of exchange: Exchange, isReusable: Bool) {
    easy.multi?.remove(easy)
    easy.clear()
    active[ObjectIdentifier(exchange)] = nil
    if isReusable, spare.count < configuration.maximumConnections { spare.append(easy) }
    lanes[exchange.endpoint]?.finish()
    startNext(exchange.endpoint)
  }
}

// MARK: - Sets of connections

extension TransferLoop {
  private static func makeSet(
    _ configuration: HTTPClient.Configuration,
    _ sockets: OpenSockets
  ) throws(TransferError) -> MultiHandle {
    try MultiHandle(maximumConnections: configuration.maximumConnections, sockets: sockets)
  }

  private func dropIdleConnections() {
    guard let fresh = try? Self.makeSet(configuration, sockets) else { return }
    if current.count > 0 { retired.append(current) }
    // Before the old one can go: others may be about to ring it.
    inbox.replaceAlarm(fresh.alarm)
    current = fresh
  }

  /// Ends every exchange, the waiting ones first, and forgets the connections.
  ///
  /// They are closed only when something is sent again. A packet that is sent while the link is down
  /// has the kernel look for the neighbour in vain, once a second, and the first connection after the
  /// return would wait for its next look.
  private func giveUpAll(_ arrivals: [Exchange]) {
    // Every set is given up. libcurl does not tell the socket of a transfer under way.
    sockets.takeBackUndelivered()
    let waiting = lanes.keys.flatMap { lanes[$0]?.removeWaiting() ?? [] }
    for exchange in arrivals + waiting {
      exchange.finish(.failure(exchange.error(.givenUp, phase: .preparing)))
    }
    for easy in active.values {
      guard let exchange = easy.exchange else { continue }
      exchange.finish(.failure(exchange.error(.givenUp, phase: easy.phase)))
    }
    guard current.isUsed || !retired.isEmpty else { return }
    shelf.sets += [current] + retired
    shelf.transfers += active.values
    (active, lanes, retired) = ([:], [:], [])
    if let fresh = try? Self.makeSet(configuration, sockets) {
      inbox.replaceAlarm(fresh.alarm)
      current = fresh
    } else {
      shelf.sets.removeAll { $0 === current }
      clearShelf()
    }
  }

  private func clearShelf() {
    for easy in shelf.transfers { easy.multi?.remove(easy) }
    shelf = ([], [])
  }

  /// libcurl itself failed, for want of memory or descriptors: its transfers end, those of other sets may continue.
  private func giveUp(_ multi: MultiHandle) {
    if multi === current { dropIdleConnections() }
    for easy in active.values where easy.multi === multi {
      guard let exchange = easy.exchange else { continue }
      exchange.finish(
        .failure(exchange.error(.connectionFailed("libcurl failed"), phase: easy.phase))
      )
      release(easy, of: exchange, isReusable: false)
    }
  }

  private func endAll() {
    inbox.replaceAlarm(nil)
    clearShelf()
    for easy in active.values {
      easy.exchange.map { $0.finish(.failure($0.error(.cancelled, phase: easy.phase))) }
      easy.multi?.remove(easy)
    }
    for endpoint in lanes.keys {
      for exchange in lanes[endpoint]?.removeWaiting() ?? [] {
        exchange.finish(.failure(exchange.error(.cancelled, phase: .preparing)))
      }
    }
    active = [:]
  }
}

/// The exchanges with one endpoint: how many are under way, and which wait, first come first served.
struct Lane<Element> {
  private var underWay = 0
  private var waiting: [Element?] = []
  private var head = 0

  /// Whether nothing is under way and nothing waits.
  var isIdle: Bool { underWay == 0 && head == waiting.count }

  /// Puts an exchange at the end of the queue.
  mutating func append(_ element: Element) { waiting.append(element) }

  /// The first that waits, now counted as under way, unless `limit` are under way already.
  mutating func next(limit: Int) -> Element? {
    guard underWay < limit, head < waiting.count, let element = waiting[head] else { return nil }
    waiting[head] = nil
    head += 1
    underWay += 1
    // Each element is moved at most once on average.
    if head * 2 > waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Counts an exchange that was under way as done.
  mutating func finish() { underWay -= 1 }

  /// Removes all that wait, and returns them.
  mutating func removeWaiting() -> [Element] {
    defer { (waiting, head) = ([], 0) }
    return waiting.compactMap { $0 }
  }
}
