import SondeAddresses
import SondeDatabases
import TestSupport

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
    let packed = folder.file("packed.gz")
    let pack = try ChildProcess(["sh", "-c", #"gzip -1 -c "$0" > "$1""#, log.path, packed]).wait()
    guard pack.status == 0 else { throw BenchmarkError("gzip failed") }

    let core = ["taskset", "-c", "0"]
    let local = ["--quiet", "--no-cache", "--provider", "local"]
    var commands = [
      ("`sonde extract`, \(name), one core", core + [sonde, "extract", log.path]),
      ("the same, on all cores", [sonde, "extract", log.path]),
      ("`sonde extract --unique`", [sonde, "extract", "--unique", log.path]),
      ("`sonde extract`, the log by gzip", [sonde, "extract", packed]),
      ("`gzip -dc`", ["gzip", "-dc", packed]),
      ("`sonde check --log`", [sonde, "check", "--quiet", "--log", log.path]),
    ]
    let ripgrep = ["rg", "-j1", "--no-unicode", "-o", "-N", Self.ipv4Pattern, log.path]
    if let found = try? digest(ripgrep), found.lines != lines.ipv4 {
      throw BenchmarkError("ripgrep finds \(found.lines) addresses, not \(lines.ipv4)")
    }
    // Not every machine has a database and these programs.
    if LocalDatabases.defaultPaths.first != nil {
      commands.append(
        (
          "`sonde scan --log --provider local -o out.csv`",
          [sonde, "scan"] + local + ["--log", log.path, "-o", folder.file("out.csv")]
        )
      )
      commands.append(
        ("`sonde summary --provider local`", [sonde, "summary"] + local + [log.path])
      )
      let out = ["sh", "-c", #"out=$1; shift; exec "$0" "$@" > "$out""#, sonde, folder.file("out")]
      commands.append(
        ("`sonde annotate --provider local > out`", out + ["annotate"] + local + [log.path])
      )
    }
    let goaccess = [
      "goaccess", log.path, "--no-global-config", "--log-format=COMBINED", "--no-progress",
      "--geoip-database=\(countryDatabase() ?? "")", "-o", folder.file("goaccess.json"),
    ]
    // Whether a peer is there is found out with a few lines.
    let sample = folder.file("sample.log")
    let head = #"head -n 1000 "$0" > "$1""#
    guard succeeds(["sh", "-c", head, log.path, sample]) else {
      throw BenchmarkError("head failed")
    }
    for (name, command) in [
      ("`goaccess` with GeoIP", goaccess),
      ("`rg -j1 -o`, IPv4 alone, one core", core + ripgrep),
      (
        "`rg --passthru -r` of a constant text",
        ["sh", "-c", #"exec rg --no-unicode -N --passthru -r '$0 [text]' "$0" "$1" > "$2""#]
          + [Self.ipv4Pattern, log.path, folder.file("rg.log")]
      ),
      ("`grepcidr -c 0.0.0.0/0`, one core", core + ["grepcidr", "-c", "0.0.0.0/0", log.path]),
    ] where succeeds(command.map({ $0 == log.path ? sample : $0 })) {
      commands.append((name, command))
    }

    var measured = try measure(
      inTurns: commands.map {
        Case(
          name: $0.0,
          unit: "lines",
          arguments: $0.1,
          items: log.items,
          bytes: log.bytes,
          // Which takes as long as all others together.
          turns: $0.1[0] == "goaccess" ? 1 : .max
        )
      }
    )
    func compare(_ beginning: String, with peer: String) {
      guard let own = measured.firstIndex(where: { $0.name.hasPrefix(beginning) }),
        let other = measured.first(where: { $0.name.hasPrefix(peer) })
      else { return }
      measured[own].peer = .init(name: peer + "`", other)
    }
    measured[1].peer = .init(name: "one core", measured[0])
    compare("`sonde extract`, \(name)", with: "`rg -j1 -o")
    compare("`sonde extract`, the log by gzip", with: "`gzip -dc")
    compare("`sonde annotate", with: "`rg --passthru -r")
    compare("`sonde scan", with: "`sonde extract --unique")
    compare("`sonde summary", with: "`goaccess")
    return measured
  }

  private static let ipv4Pattern = #"\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b"#
}
