import Foundation
import Testing

/// Two network namespaces joined by a veth pair: `near`, where the monitor runs, and `far`.
///
/// near: `near0` 10.9.0.1/24 and 2001:db8::1/64, default routes by 10.9.0.2 and 2001:db8::2.
/// far: `far0` with those, and the endpoint's addresses 203.0.113.5 and 2001:db8:5::5 on loopback,
/// where nobody listens: refusing proves the way as well. `twin` is the name of both; the name server
/// for every other name would be 10.9.0.2.
final class NamespacePair: Sendable {
  static let endpoint = "203.0.113.5:81"

  /// Whether namespaces may be made here; said once when not.
  static let isAllowed: Bool = {
    let name = "sonde-try-\(getpid())"
    // A container may allow the name and refuse what is done with it.
    let isAllowed =
      run("ip", "netns", "add", name)
      && run("ip", "netns", "exec", name, "ip", "link", "set", "lo", "up")
      && run("ip", "-n", name, "link", "add", "near0", "type", "veth", "peer", "name", "far0")
      && run("ip", "netns", "exec", name, "nft", "add", "table", "inet", "t")
    run("ip", "netns", "del", name)
    if !isAllowed {
      print("skipped: network namespaces need root, iproute2 and a kernel that allows them")
    }
    return isAllowed
  }()

  let near: String
  let far: String

  init(_ label: String) throws {
    near = "sonde-\(label)-near-\(getpid())"
    far = "sonde-\(label)-far-\(getpid())"
    try #require(Self.run("ip", "netns", "add", near))
    try #require(Self.run("ip", "netns", "add", far))
    let isJoined = Self.run(
      "ip",
      "link",
      "add",
      "near0",
      "netns",
      near,
      "type",
      "veth",
      "peer",
      "name",
      "far0",
      "netns",
      far
    )
    try #require(isJoined)
    for (namespace, link, address) in [(near, "near0", "10.9.0.1"), (far, "far0", "10.9.0.2")] {
      try #require(Self.run("ip", "-n", namespace, "addr", "add", "\(address)/24", "dev", link))
      try #require(Self.run("ip", "-n", namespace, "link", "set", "lo", "up"))
      try #require(Self.run("ip", "-n", namespace, "link", "set", link, "up"))
    }
    try ip(near, "addr add 2001:db8::1/64 dev near0 nodad")
    try ip(far, "addr add 2001:db8::2/64 dev far0 nodad")
    try ip(near, "route add default via 10.9.0.2")
    try ip(near, "route add default via 2001:db8::2")
    try ip(far, "addr add 203.0.113.5/32 dev lo")
    try ip(far, "addr add 2001:db8:5::5/128 dev lo")
    try writeNames()
  }

  /// What `ip netns exec` shows as `/etc/hosts` and `/etc/resolv.conf` (ip-netns(8)).
  private func writeNames() throws {
    try FileManager.default.createDirectory(atPath: names, withIntermediateDirectories: true)
    try "203.0.113.5 twin\n2001:db8:5::5 twin\n"
      .write(toFile: names + "/hosts", atomically: true, encoding: .utf8)
    try "nameserver 10.9.0.2\n"
      .write(toFile: names + "/resolv.conf", atomically: true, encoding: .utf8)
  }

  private var names: String { "/etc/netns/" + near }

  deinit {
    Self.run("ip", "netns", "del", near)
    Self.run("ip", "netns", "del", far)
    try? FileManager.default.removeItem(atPath: names)
  }

  /// Runs `ip` on one side.
  func ip(_ namespace: String, _ arguments: String) throws {
    let words = arguments.split(separator: " ").map(String.init)
    try #require(Self.run(["ip", "-n", namespace] + words))
  }

  /// Drops everything that reaches the far side, or lets it through again.
  func setSilent(_ isSilent: Bool) throws {
    let rules =
      isSilent
      ? "add table inet t; add chain inet t c { type filter hook input priority 0; policy drop; }"
      : "flush ruleset"
    try #require(Self.run("ip", "netns", "exec", far, "nft", rules))
  }

  @discardableResult
  static func run(_ words: String...) -> Bool { run(words) }

  @discardableResult
  static func run(_ words: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}

/// The probe program inside a namespace, read line by line.
final class ProbeProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer: [UInt8] = []
  /// Every line so far, to show when one does not come.
  private(set) var lines: [String] = []

  init(in namespace: String, _ arguments: [String]) throws {
    // The program lies beside the one that runs the tests.
    let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let path = folder.appendingPathComponent("ReachabilityProbe").path
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ip", "netns", "exec", namespace, path] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
  }

  func send(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

  /// Waits for a line that begins so, and gives its words.
  func next(_ prefix: String, within seconds: Double = 10) throws -> [String] {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      while let line = takeLine() {
        lines.append(line)
        if line.hasPrefix(prefix) { return line.split(separator: " ").map(String.init) }
      }
      guard read(until: deadline) else { throw MissingLine(prefix: prefix, lines: lines) }
    }
  }

  private func takeLine() -> String? {
    guard let end = buffer.firstIndex(of: 10) else { return nil }
    defer { buffer.removeFirst(end + 1) }
    return String(decoding: buffer[..<end], as: UTF8.self)
  }

  private func read(until deadline: Date) -> Bool {
    let descriptor = output.fileHandleForReading.fileDescriptor
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let left = Int32(max(0, deadline.timeIntervalSinceNow * 1000))
    guard unsafe poll(&entry, 1, left) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe Foundation.read(descriptor, &bytes, bytes.count)
    buffer += bytes.prefix(max(0, count))
    return count > 0
  }
}

/// A line that did not come.
struct MissingLine: Error {
  var prefix: String
  var lines: [String]
}

/// Nanoseconds on the clock that the probe program writes.
func bootNanoseconds() -> Int {
  var time = timespec()
  unsafe clock_gettime(CLOCK_BOOTTIME, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
