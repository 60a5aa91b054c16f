import Glibc
import Synchronization
import TestSupport
import Testing

@testable import SondeTransfer

@Suite(.timeLimit(.minutes(1))) struct CancellationTests {
  /// The shortest of a few tries between cancelling and the end of the task: a busy machine may
  /// delay some, an operation that waits for something delays all.
  private func latency(
    of request: Request,
    after pause: Duration,
    _ client: HTTPClient
  ) async throws -> Duration {
    var best = Duration.seconds(60)
    for _ in 0..<5 {
      let task = Task { try await client.send(request) }
      try await Task.sleep(for: pause)
      let elapsed = await time {
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      best = min(best, elapsed)
    }
    return best
  }

  @Test func `a request to a server that hangs is cancelled within milliseconds`() async throws {
    let closed = Mutex(0)
    let server = try LoopbackServer { connection in
      connection.waitForClose()
      closed.withLock { $0 += 1 }
    }
    let client = try makeClient()
    let request = Request(url: server.url)
    #expect(try await latency(of: request, after: .milliseconds(50), client) < .milliseconds(50))
    // The connections are really given up, not only forgotten.
    try await waitUntil { closed.withLock { $0 } >= 5 }
  }

  @Test func `a request that is connecting is cancelled within milliseconds`() async throws {
    let server = try LoopbackServer(backlog: 0, handler: nil)
    let fillers = (0..<4).map { _ in LoopbackServer.connectWithoutWaiting(port: server.port) }
    defer { for descriptor in fillers { close(descriptor) } }
    let request = Request(url: server.url)
    let client = try makeClient()
    #expect(try await latency(of: request, after: .milliseconds(50), client) < .milliseconds(50))
  }

  @Test func `a request that is resolving a name is cancelled within milliseconds`() async throws {
    let request = Request(url: "http://name.invalid/")
    let client = try makeClient()
    for _ in 0..<20 {
      let task = Task { try await client.send(request) }
      await Task.yield()
      let elapsed = await time {
        task.cancel()
        // A name server may have been faster than the cancellation.
        await #expect(throws: (any Error).self) { try await task.value }
      }
      #expect(elapsed < .seconds(1))
    }
  }

  @Test func `a task cancelled before it asks sends nothing`() async throws {
    let server = try LoopbackServer.answering { _ in answer("ok") }
    let client = try makeClient()
    let request = Request(url: server.url)
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await client.send(request)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.connectionCount == 0)
  }

  @Test func `cancelling late or twice is harmless`() async throws {
    let server = try LoopbackServer.answering { _ in answer("ok") }
    let client = try makeClient()
    let request = Request(url: server.url)
    let task = Task { try await client.send(request) }
    #expect(try await task.value.text == "ok")
    task.cancel()
    task.cancel()
    #expect(try await client.send(request).text == "ok")
  }

  @Test func `those who wait for a connection are cancelled and the others served`() async throws {
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        guard request.target != "/hang" else { return connection.waitForClose() }
        connection.write(answer("ok"))
      }
    }
    let client = try makeClient(maximumConnections: 1)
    let url = server.url
    let hanging = Task { try await client.send(Request(url: url + "/hang")) }
    try await waitUntil { server.connectionCount > 0 }
    let waiting = (0..<50).map { _ in Task { try await client.send(Request(url: url)) } }
    try await Task.sleep(for: .milliseconds(20))
    for task in waiting.dropLast() { task.cancel() }
    for task in waiting.dropLast() {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    hanging.cancel()
    #expect(try await waiting.last?.value.text == "ok")
  }

  @Test func `requests cancelled at every moment end exactly once and harm no other`() async throws
  {
    let server = try LoopbackServer.answering { _ in answer("ok") }
    let client = try makeClient()
    let request = Request(url: server.url)
    var outcomes = [0, 0]
    for round in 0..<400 {
      let task = Task { try await client.send(request) }
      let end = ContinuousClock.now + .microseconds(round)
      while ContinuousClock.now < end {}
      task.cancel()
      switch await task.result {
      case .success: outcomes[0] += 1
      case .failure(is CancellationError): outcomes[1] += 1
      case .failure(let error): Issue.record("\(error)")
      }
    }
    #expect(outcomes[0] + outcomes[1] == 400)
    #expect(outcomes[1] > 0)
    #expect(try await client.send(request).text == "ok")
  }

  @Test func `clients come and go without leaving connections`() async throws {
    let closed = Mutex(0)
    let server = try LoopbackServer { connection in
      while connection.readRequest() != nil { connection.write(answer("ok")) }
      closed.withLock { $0 += 1 }
    }
    for _ in 0..<20 { _ = try await makeClient().send(Request(url: server.url)) }
    #expect(server.connectionCount == 20)
    try await waitUntil { closed.withLock { $0 } >= 20 }
  }
}

@Suite(.timeLimit(.minutes(1))) struct GivingUpTests {
  private let givenUp = TransferError.Reason.givenUp

  @Test func `what is given up is closed only when something else is sent`() async throws {
    let begun = Mutex(0)
    let closed = Mutex(0)
    let server = try LoopbackServer { connection in
      begun.withLock { $0 += 1 }
      connection.waitForClose()
      closed.withLock { $0 += 1 }
    }
    let client = try makeClient()
    let tasks = (0..<3).map { _ in Task { try await client.send(Request(url: server.url)) } }
    try await waitUntil { begun.withLock { $0 } >= 3 }
    let elapsed = await time {
      client.giveUpAll()
      for task in tasks {
        let error = await #expect(throws: TransferError.self) { try await task.value }
        #expect(error?.reason == givenUp)
      }
    }
    #expect(elapsed < .milliseconds(50))
    try await Task.sleep(for: .milliseconds(50))
    #expect(closed.withLock { $0 } == 0)
    let next = Task { try await client.send(Request(url: server.url)) }
    try await waitUntil { closed.withLock { $0 } >= 3 }
    next.cancel()
  }

  @Test func `what has sent nothing can be given up alone`() async throws {
    let begun = Mutex(false)
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      begun.withLock { $0 = true }
      usleep(100_000)
      connection.write(answer("late"))
    }
    // Its queue of connections is full, so that another one waits to be established.
    let full = try LoopbackServer(backlog: 0, handler: nil)
    let fillers = (0..<2).map { _ in LoopbackServer.connectWithoutWaiting(port: full.port) }
    defer { for filler in fillers { close(filler) } }
    let client = try makeClient()
    let sent = Task { try await client.send(Request(url: server.url)) }
    let unsent = Task { try await client.send(Request(url: full.url)) }
    try await waitUntil { begun.withLock { $0 } }
    client.giveUpUnsent()
    let error = await #expect(throws: TransferError.self) { try await unsent.value }
    #expect(error?.reason == givenUp && error?.wasSent == false)
    #expect(try await sent.value.text == "late")
  }

  @Test func `what has not arrived does not arrive once it is given up`() async throws {
    let begun = Mutex(false)
    let mayRead = Mutex(false)
    let ended = Mutex(false)
    let server = try LoopbackServer { connection in
      begun.withLock { $0 = true }
      while !mayRead.withLock({ $0 }) { usleep(1000) }
      connection.waitForClose()
      ended.withLock { $0 = true }
    }
    let client = try makeClient()
    // More than both ends hold, so that the rest waits to be sent.
    let body = [UInt8](repeating: 0, count: 32 << 20)
    let request = Request(url: server.url, method: .post, body: body)
    let task = Task { try await client.send(request) }
    try await waitUntil { begun.withLock { $0 } }
    try await Task.sleep(for: .milliseconds(100))
    client.giveUpAll()
    let error = await #expect(throws: TransferError.self) { try await task.value }
    #expect(error?.reason == givenUp)
    mayRead.withLock { $0 = true }
    // Nothing else is sent, and yet the connection is over.
    try await waitUntil { ended.withLock { $0 } }
  }

  @Test func `a request that was decided upon before is given up as well`() async throws {
    let begun = Mutex(0)
    let server = try LoopbackServer { connection in
      begun.withLock { $0 += 1 }
      connection.waitForClose()
    }
    let client = try makeClient()
    let before = client.giveUps
    client.giveUpAll()
    let error = await #expect(throws: TransferError.self) {
      try await client.send(Request(url: server.url), after: before)
    }
    #expect(error?.reason == givenUp)
    #expect(error?.phase == .preparing)
    #expect(begun.withLock { $0 } == 0)
    let later = Task { try await client.send(Request(url: server.url), after: client.giveUps) }
    try await waitUntil { begun.withLock { $0 } >= 1 }
    later.cancel()
  }

  @Test func `a socket that was closed unnoticed leaves the next of its number alone`() throws {
    let server = try LoopbackServer(backlog: 1, handler: nil)
    let sockets = OpenSockets()
    let first = LoopbackServer.connectWithoutWaiting(port: server.port)
    sockets.insert(first)
    let second = LoopbackServer.connectWithoutWaiting(port: server.port)
    // Takes the number of the first in one step, so that no other thread can.
    #expect(dup2(second, first) == first)
    close(second)
    defer { close(first) }
    var state = pollfd(fd: first, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&state, 1, 1000)
    // Nobody reads, so that something stays undelivered.
    let filler = [UInt8](repeating: 0, count: 1 << 20)
    while unsafe send(first, filler, filler.count, Int32(MSG_DONTWAIT)) > 0 {}
    sockets.takeBackUndelivered()
    state = pollfd(fd: first, events: 0, revents: 0)
    #expect(unsafe poll(&state, 1, 0) == 0, "it has not been ended")
    sockets.insert(first)
    sockets.takeBackUndelivered()
    #expect(unsafe poll(&state, 1, 0) == 1)
  }

  @Test func `what was not delivered is taken back with its connection`() async throws {
    // Nobody reads, so that the far end's window fills up and the rest stays undelivered.
    let server = try LoopbackServer(backlog: 1, handler: nil)
    let descriptor = LoopbackServer.connectWithoutWaiting(port: server.port)
    defer { close(descriptor) }
    var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&state, 1, 1000)
    takeBackUndelivered(descriptor)
    #expect(unsafe send(descriptor, "x", 1, Int32(MSG_NOSIGNAL)) == 1)
    let filler = [UInt8](repeating: 0, count: 1 << 20)
    while unsafe send(descriptor, filler, filler.count, Int32(MSG_DONTWAIT)) > 0 {}
    takeBackUndelivered(descriptor)
    #expect(unsafe send(descriptor, "x", 1, Int32(MSG_NOSIGNAL)) == -1)
    #expect(errno == EPIPE || errno == ENOTCONN || errno == ECONNRESET)
  }
}
