package import SondeReachability
package import SondeTransfer
import Synchronization

/// Requests a URL regularly while the network is online, so that a service notices its absence.
package final class Heartbeat: Sendable {
  private static let timeout = Duration.seconds(10)

  private let url: String
  private let client: HTTPClient
  private let console: any AlertLog
  private let schedule: Mutex<HeartbeatSchedule>
  private let isFailing = Mutex(false)
  private let underWay = Mutex<Task<Void, Never>?>(nil)
  private let wakes: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// Creates a heartbeat, which sends nothing before `hear` reports that the network is online.
  package init(url: String, every interval: Duration, client: HTTPClient, console: any AlertLog) {
    (self.url, self.client, self.console) = (url, client, console)
    schedule = Mutex(HeartbeatSchedule(interval: interval))
    (wakes, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The URL with the state in place of `{{state}}`.
  package static func url(_ text: String, in verdict: Verdict) -> String {
    text.split(separator: "{{state}}", omittingEmptySubsequences: false)
      .joined(separator: verdict.state)
  }

  /// Takes the state of the network; returns without waiting.
  package func hear(_ verdict: Verdict) {
    schedule.withLock { $0.take(verdict, now: .now) }
    if !verdict.isOnline { underWay.withLock { $0?.cancel() } }
    bell.yield()
  }

  /// Sends heartbeats until the task is cancelled, one at a time.
  ///
  /// One that is under way when the network is lost is given up.
  package func run() async {
    var timer: Task<Void, Never>?
    for await _ in wakes {
      timer?.cancel()
      while let state = schedule.withLock({ $0.beat(now: .now) }), !Task.isCancelled {
        await send(in: state)
        schedule.withLock { $0.end(now: .now) }
      }
      timer = schedule.withLock(\.due).map { due in
        Task { [bell] in
          if (try? await Task.sleep(until: due, clock: .continuous)) != nil { bell.yield() }
        }
      }
    }
    timer?.cancel()
  }

  /// Sends one heartbeat, if the network is online.
  package func beatOnce(in verdict: Verdict) async {
    if verdict.isOnline { await send(in: verdict) }
  }

  private func send(in verdict: Verdict) async {
    let task = Task { await request(in: verdict) }
    underWay.withLock { $0 = task }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func request(in verdict: Verdict) async {
    var request = SondeTransfer.Request(url: Self.url(url, in: verdict))
    (request.timeout, request.connectTimeout) = (Self.timeout, Self.timeout)
    // Pooled connections may be dead since the last loss.
    request.isFreshConnection = true
    request.maximumBody = 1 << 20
    do {
      let status = try await client.send(request).status
      note((200..<300).contains(status) ? nil : "HTTP \(status)")
    } catch {
      // A request that was given up shows nothing about the receiver.
      if !Task.isCancelled { note((error as? TransferError)?.words ?? "\(error)") }
    }
  }

  private func note(_ problem: String?) {
    let wasFailing = isFailing.withLock { isFailing in
      defer { isFailing = problem != nil }
      return isFailing
    }
    let place = "--heartbeat: \(redacted(url: url))"
    switch (problem, wasFailing) {
    case (let problem?, false): console.error("\(place): \(problem)")
    case (nil, true): console.note("\(place): taken again")
    case (.some, true), (nil, false): break
    }
  }
}
