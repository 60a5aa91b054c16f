internal import CSondeCurl

/// Performs all transfers of a client, including all calls of libcurl, on one thread.
final class TransferLoop {
  private let inbox: Inbox
  private let configuration: HTTPClient.Configuration
  private let sockets = OpenSockets()
  private var current: MultiHandle
  /// Sets whose connections are abandoned, until their last transfer finishes.
  private var retired: [MultiHandle] = []
  /// Abandoned sets and transfers that are not closed yet; nothing in them advances any more.
  private var shelf: (sets: [MultiHandle], transfers: [EasyHandle]) = ([], [])
  private var spare: [EasyHandle] = []
  private var active: [ObjectIdentifier: EasyHandle] = [:]
  private var lanes: [Endpoint: Lane<SubmittedRequest>] = [:]

  init(inbox: Inbox, configuration: HTTPClient.Configuration) throws(TransferError) {
    (self.inbox, self.configuration) = (inbox, configuration)
    // Created in advance, so that an unusable configuration fails when the client is created.
    spare = [try EasyHandle(configuration, noting: sockets)]
    current = try MultiHandle(configuration, noting: sockets)
    inbox.replaceAlarm(current.alarm)
  }

  /// Runs until the client is released.
  func run() {
    while let work = inbox.take() {
      if work.givesUpAll { giveUpAll(work.abandoned) }
      if work.givesUpUnsent { giveUpUnsent() }
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
    // Only one set can be waited for; while others remain, for a few seconds, they are polled.
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

  /// Passes an exchange to libcurl, or fails it.
  private func start(_ exchange: SubmittedRequest) -> Bool {
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
    // First, so that the caller resumes while this thread cleans up.
    exchange.finish(easy.outcome(code))
    release(easy, of: exchange, isReusable: code == CURLE_OK)
  }

  /// Ends the transfer of a cancelled exchange if it is running; a waiting one is skipped later.
  private func abandon(_ exchange: SubmittedRequest) {
    guard let easy = active[ObjectIdentifier(exchange)] else { return }
    release(easy, of: exchange, isReusable: false)
  }

  private func release(_ easy: EasyHandle, of exchange: SubmittedRequest, isReusable: Bool) {
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
  private func dropIdleConnections() {
    guard let fresh = try? MultiHandle(configuration, noting: sockets) else { return }
    if current.count > 0 { retired.append(current) }
    // Before the old one is freed, since other threads may be about to ring it.
    inbox.replaceAlarm(fresh.alarm)
    current = fresh
  }

  /// Ends all exchanges, the waiting ones first, and abandons the connections.
  ///
  /// They are closed only when the next request is sent. A packet sent while the link is down would
  /// make the kernel look for the neighbour in vain, once a second, and the first connection after
  /// the return would wait for its next attempt.
  private func giveUpAll(_ arrivals: [SubmittedRequest]) {
    // All sets are abandoned. libcurl does not reveal the socket of a running transfer.
    sockets.takeBackUndelivered()
    let waiting = lanes.keys.flatMap { lanes[$0]?.removeWaiting() ?? [] }
    for exchange in arrivals + waiting { exchange.fail(.givenUp) }
    for easy in active.values { easy.exchange?.fail(.givenUp, in: easy.phase) }
    guard current.isUsed || !retired.isEmpty else { return }
    shelf.sets += [current] + retired
    shelf.transfers += active.values
    (active, lanes, retired) = ([:], [:], [])
    if let fresh = try? MultiHandle(configuration, noting: sockets) {
      inbox.replaceAlarm(fresh.alarm)
      current = fresh
    } else {
      shelf.sets.removeAll { $0 === current }
      clearShelf()
    }
  }

  private func giveUpUnsent() {
    for easy in active.values {
      guard let exchange = easy.exchange, case let phase = easy.phase,
        ![.waiting, .receiving].contains(phase)
      else { continue }
      exchange.fail(.givenUp, in: phase)
      release(easy, of: exchange, isReusable: false)
    }
  }

  private func clearShelf() {
    for easy in shelf.transfers { easy.multi?.remove(easy) }
    shelf = ([], [])
  }

  /// Ends all transfers of a set after libcurl failed for lack of memory or descriptors; other sets
  /// continue.
  private func giveUp(_ multi: MultiHandle) {
    if multi === current { dropIdleConnections() }
    for easy in active.values where easy.multi === multi {
      guard let exchange = easy.exchange else { continue }
      exchange.fail(.connectionFailed("libcurl failed"), in: easy.phase)
      release(easy, of: exchange, isReusable: false)
    }
  }

  private func endAll() {
    inbox.replaceAlarm(nil)
    clearShelf()
    for easy in active.values {
      easy.exchange?.fail(.cancelled, in: easy.phase)
      easy.multi?.remove(easy)
    }
    for endpoint in lanes.keys {
      for exchange in lanes[endpoint]?.removeWaiting() ?? [] { exchange.fail(.cancelled) }
    }
    active = [:]
  }
}

/// The exchanges with one endpoint: the number of running ones and a queue of waiting ones.
struct Lane<Element> {
  private var underWay = 0
  private var waiting: [Element?] = []
  private var head = 0

  var isIdle: Bool { underWay == 0 && head == waiting.count }

  mutating func append(_ element: Element) { waiting.append(element) }

  /// Removes and starts the first waiting exchange, unless `limit` exchanges are running already.
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

  mutating func finish() { underWay -= 1 }

  mutating func removeWaiting() -> [Element] {
    defer { (waiting, head) = ([], 0) }
    return waiting.compactMap { $0 }
  }
}
