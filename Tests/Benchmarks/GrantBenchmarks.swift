import Glibc
import SondeProviders
import SondeRedis
import SondeStore
import TestSupport

/// Permits from a Redis that many processes share: each reserves some requests of one quota, and
/// settles them with its next change.
struct GrantBenchmarks {
  /// The argument that makes this program one of the processes.
  static let worker = "grant-worker"

  private let grants: Int

  init(scale: Int) { grants = 64_000 / scale }

  func run(report: (Measurement) -> Void) throws {
    let folder = try ScratchFolder()
    let socket = folder.file("redis.sock")
    let server = try ChildProcess([
      "redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder.path,
    ])
    defer {
      kill(server.identifier, SIGTERM)
      _ = server.wait()
    }
    for _ in 0..<500 where unsafe access(socket, F_OK) != 0 { usleep(10_000) }
    for (processes, batch) in [(1, 1), (1, 8), (16, 1), (16, 8)] {
      report(try measure(processes, batch, at: "unix://\(socket)"))
    }
  }

  private func measure(_ processes: Int, _ batch: Int, at url: String) throws -> Measurement {
    let own = grants / processes
    let usages = try (0..<3).map { _ in
      let start = ContinuousClock.now
      let words = [CommandLine.arguments[0], Self.worker, url, "\(own)", "\(batch)"]
      let children = try (0..<processes).map { _ in try ChildProcess(words) }
      let ended = children.map { $0.wait() }
      guard ended.allSatisfy({ $0.status == 0 }) else { throw BenchmarkError("a worker failed") }
      let processor = ended.reduce(Duration.zero) { $0 + $1.processor }
      return Usage(wall: .now - start, processor: processor)
    }
    let words = batch == 1 ? "one at a time" : "\(batch) at a time"
    let name =
      "grants from Redis, \(processes) \(processes == 1 ? "process" : "processes"), \(words)"
    return Measurement(name: name, unit: "grants", items: own * processes, bytes: 0, usages: usages)
  }

  /// What one process does.
  ///
  /// - Parameter arguments: The server, the number of grants, and how many are reserved together.
  /// - Throws: ``BenchmarkError`` where the server is gone.
  static func work(_ arguments: [String]) async throws {
    guard arguments.count == 3, let count = Int(arguments[1]), let batch = Int(arguments[2]) else {
      throw BenchmarkError("usage: \(worker) URL COUNT BATCH")
    }
    let ledger = try SharedStore(at: RedisAccess(to: RedisPlace(arguments[0]))) { _ in }.ledger
    let start = Quota(allowance: Allowance(requests: 1_000_000_000, per: .seconds(3600)))
    let holder = ledger.holder
    var (granted, tickets) = (0, [Quota.Ticket]())
    while granted < count {
      let settled = tickets
      let update = await ledger.update("benchmark") { row in
        let (now, run, wall) = (row.time.now, row.time.run, row.time.wall)
        let reading = ClockReading(steady: now, boot: run, wall: wall)
        var quota = SharedQuota(bytes: row.bytes, start: start, at: reading)
        var notice = QuotaNotice()
        notice.isAnswer = true
        for ticket in settled { quota.settle(ticket, of: holder, .answered(notice), now: now) }
        let reserved = quota.reserve(batch, for: holder, now: now)
        row.bytes = quota.bytes
        return reserved.tickets
      }
      guard let reserved = update.result else { throw BenchmarkError("Redis is gone") }
      tickets = reserved
      granted += tickets.count
    }
    await ledger.close()
  }
}
