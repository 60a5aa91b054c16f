import Glibc
import SondeReachability

/// Runs a monitor inside a network namespace and prints what it tells, a line each.
///
///     network STATE CAUSE INTERFACE DOWN_MS NANOSECONDS
///     interface NAME up|down running|idle LINK present|gone NANOSECONDS
///     layer NAME CONDITION WORDS…
///     degraded SOURCE
///     tally LOSSES OFFLINE_MS CPU_MS
///
/// Lines on standard input are commands: `status`, or the name of a finding to report. It ends with
/// the input. Moments are those of `CLOCK_BOOTTIME`, the same in every namespace.
@main
struct ReachabilityProbe {
  static func main() async throws {
    guard let configuration = configuration(CommandLine.arguments.dropFirst()) else {
      say("usage: ENDPOINT [interval=MS] [probe=MS] [timeout=MS] [settle=MS] [netlink=0]")
      exit(2)
    }
    let monitor = try NetworkMonitor(configuration)
    let commands = Task.detached { obey(monitor) }
    for await event in monitor.events() { say(describe(event)) }
    await commands.value
  }

  private static func configuration(
    _ arguments: ArraySlice<String>
  ) -> NetworkMonitor.Configuration? {
    guard let endpoint = arguments.first.flatMap({ Endpoint($0, defaultPort: 80) }) else {
      return nil
    }
    var configuration = NetworkMonitor.Configuration(endpoint: endpoint)
    for argument in arguments.dropFirst() {
      let parts = argument.split(separator: "=")
      guard parts.count == 2, let number = Int(parts[1]) else { return nil }
      switch parts[0] {
      case "interval": configuration.interval = .milliseconds(number)
      case "probe": configuration.probeInterval = .milliseconds(number)
      case "timeout": configuration.probeTimeout = .milliseconds(number)
      case "settle": configuration.settle = .milliseconds(number)
      case "netlink": configuration.usesNetlink = number != 0
      default: return nil
      }
    }
    return configuration
  }

  /// Blocks the thread it has to itself: nothing else runs in this program but the monitor.
  private static func obey(_ monitor: NetworkMonitor) {
    while let line = readLine() {
      if let finding = Finding(rawValue: line) { monitor.report(finding) }
      if line == "status" { sayStatus(monitor.currentStatus) }
    }
    monitor.stop()
  }

  private static func sayStatus(_ status: NetworkStatus) {
    for layer in status.layers { say("layer \(layer.name) \(layer.condition) \(layer.words)") }
    for degradation in status.degradations { say("degraded \(degradation.sense)") }
    var used = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
    let cpu = used.tv_sec * 1000 + used.tv_nsec / 1_000_000
    say("tally \(status.losses) \(status.offlineTime.milliseconds) \(cpu)")
  }

  private static func describe(_ event: NetworkEvent) -> String {
    switch event {
    case .network(let transition):
      let down = transition.downTime.map { "\($0.milliseconds)" } ?? "-"
      return "network \(transition.verdict.state) \(transition.verdict.cause?.rawValue ?? "-") "
        + "\(transition.interface ?? "-") \(down) \(now)"
    case .endpoint: return "endpoint"
    case .interface(let change):
      let interface = change.interface
      return "interface \(interface.name) \(interface.isUp ? "up" : "down") "
        + "\(interface.isRunning ? "running" : "idle") \(interface.link.rawValue) "
        + "\(change.isGone ? "gone" : "present") \(now)"
    }
  }

  private static var now: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  private static func say(_ text: String) {
    let bytes = Array("\(text)\n".utf8)
    _ = unsafe write(1, bytes, bytes.count)
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
