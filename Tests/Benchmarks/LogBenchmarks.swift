import Addresses

/// Logs of 400 MB in the combined format with 500,000 clients, one of them with IPv4 addresses alone,
/// in the other one client in ten with an IPv6 address.
extension CommandBenchmarks {
  func logs() throws -> [Measurement] {
    try log("IPv4", ipv6: nil) + log("one in ten IPv6", ipv6: 10)
  }

  private func log(_ name: String, ipv6 share: Int?) throws -> [Measurement] {
    var lines = LogLines(seed: seed, clients: 500_000 / scale, ipv6: share)
    let log = try folder.write("\(share ?? 0).log", items: 2_530_000 / scale) {
      lines.append(to: &$0)
    }
    guard try digest([sonde, "extract", log.path]).lines == lines.ipv4 + lines.ipv6 else {
      throw BenchmarkError("extract differs")
    }
    let onOneCore = try extractOnOneCore(log, name, ipv4: lines.ipv4)
    var onAll = try measure(log, "the same, on all cores", [sonde, "extract", log.path])
    onAll.peer = .init(name: "one core", itemsPerSecond: onOneCore.itemsPerSecond)
    let unique = try measure(
      log,
      "`sonde extract --unique`",
      [sonde, "extract", "--unique", log.path]
    )
    var others = [
      unique,
      try measure(log, "`sonde check --log`", [sonde, "check", "--quiet", "--log", log.path]),
      try extractPacked(log),
    ]
    // Not every machine has a database.
    if var scan = try? scan(log) {
      scan.peer = .init(name: "`extract --unique`", itemsPerSecond: unique.itemsPerSecond)
      others.append(scan)
    }
    let grepcidr = ["taskset", "-c", "0", "grepcidr", "-c", "0.0.0.0/0", log.path]
    if let peer = try? measure(log, "`grepcidr -c 0.0.0.0/0`, one core", grepcidr) {
      others.append(peer)
    }
    return [onOneCore, onAll] + others
  }

  private func measure(
    _ log: InputText,
    _ name: String,
    _ command: [String]
  ) throws -> Measurement {
    try measure(name, "lines", command, items: log.items, bytes: log.bytes)
  }

  private func scan(_ log: InputText) throws -> Measurement {
    let options = ["--quiet", "--no-cache", "--provider", "local"]
    return try measure(
      log,
      "`sonde scan --log --provider local -o out.csv`",
      [sonde, "scan"] + options + ["--log", log.path, "-o", folder.file("out.csv")]
    )
  }

  private func extractOnOneCore(
    _ log: InputText,
    _ name: String,
    ipv4 count: Int
  ) throws -> Measurement {
    let core = ["taskset", "-c", "0"]
    var found = try measure(
      log,
      "`sonde extract`, \(name), one core",
      core + [sonde, "extract", log.path]
    )
    let ripgrep = core + ["rg", "-j1", "--no-unicode", "-o", "-N", Self.ipv4Pattern, log.path]
    // Not everyone has ripgrep, and its pattern finds the IPv4 addresses only.
    if let others = try? digest(ripgrep), others.lines == count {
      let peer = try measure(log, "", ripgrep)
      found.peer = .init(
        name: count == log.items ? "`rg -j1 -o`" : "`rg -j1 -o`, IPv4 alone",
        itemsPerSecond: peer.itemsPerSecond
      )
    }
    return found
  }

  private func extractPacked(_ log: InputText) throws -> Measurement {
    let packed = folder.file("packed.gz")
    let pack = try ChildProcess(["sh", "-c", #"gzip -1 -c "$0" > "$1""#, log.path, packed]).wait()
    guard pack.status == 0 else { throw BenchmarkError("gzip failed") }
    var found = try measure(log, "`sonde extract`, the log by gzip", [sonde, "extract", packed])
    let peer = try measure(log, "", ["gzip", "-dc", packed])
    found.peer = .init(name: "`gzip -dc`", itemsPerSecond: peer.itemsPerSecond)
    return found
  }

  private static let ipv4Pattern = #"\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b"#
}
