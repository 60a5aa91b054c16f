import Glibc

/// Measures Sonde: whole commands against their peers, and then the stages alone.
///
/// Prints Markdown tables. Needs a release build of everything:
/// `swift build -c release --disable-local-rpath && .build/release/Benchmarks`. An argument picks a part:
/// `commands`, of it `scans`, `logs`, `tables`, `networks`, `captures`, `page`, `stages`, `store`,
/// `grants`, `names` or `local`; `quick` takes a tenth of everything.
@main
struct Benchmarks {
  private static let seed: UInt64 = 20_261_120

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == GrantBenchmarks.worker {
      return try await GrantBenchmarks.work(Array(arguments.dropFirst()))
    }
    let isQuick = arguments.contains("quick")
    let parts = [
      "commands", "scans", "logs", "tables", "networks", "captures", "page", "stages", "store",
      "grants",
      "names", "local",
    ]
    let runsAll = !parts.contains(where: arguments.contains)
    // Commands first: what they take is measured best while this process is small.
    if runsAll || arguments.contains("commands") {
      say(["", "Whole commands:", ""] + Measurement.header)
      try CommandBenchmarks(seed: seed, scale: isQuick ? 10 : 1).run { say([$0.row]) }
    }
    if arguments.contains("scans") {
      say(["", "Scans:", ""] + Measurement.header)
      try CommandBenchmarks(seed: seed, scale: isQuick ? 10 : 1).scans { say([$0.row]) }
    }
    if runsAll || arguments.contains("logs") {
      say(["", "Whole commands, logs of 400 MB:", ""] + Measurement.header)
      try CommandBenchmarks(seed: seed, scale: isQuick ? 10 : 1).logs().forEach { say([$0.row]) }
    }
    if runsAll || arguments.contains("tables") {
      say(["", "Whole commands, JSON lines and tables:", ""] + Measurement.header)
      try CommandBenchmarks(seed: seed, scale: isQuick ? 10 : 1).tables().forEach { say([$0.row]) }
    }
    if runsAll || arguments.contains("networks") {
      say(["", "Whole commands, tables of networks:", ""] + Measurement.header)
      let commands = try CommandBenchmarks(seed: seed, scale: isQuick ? 10 : 1)
      try commands.networks().forEach { say([$0.row]) }
    }
    if runsAll || arguments.contains("captures") {
      say(["", "Whole commands, a capture of 1 GB:", ""] + Measurement.header)
      let commands = try CommandBenchmarks(seed: seed, scale: isQuick ? 10 : 1)
      try commands.captures().forEach { say([$0.row]) }
    }
    if runsAll || arguments.contains("page") {
      say(["", "A summary in a browser:", ""])
      try CommandBenchmarks(seed: seed, scale: isQuick ? 10 : 1).page()
    }
    if runsAll || arguments.contains("stages") {
      say(["", "Stages, in one process and on one core:", ""] + Measurement.header)
      let stages = StageBenchmarks(seed: seed, count: isQuick ? 100_000 : 1_000_000, runs: 5)
      try stages.run { say([$0.row]) }
    }
    if runsAll || arguments.contains("store") {
      say(["", "The store:", ""] + Measurement.header)
      let store = StoreBenchmarks(seed: seed, count: isQuick ? 100_000 : 1_000_000, runs: 5)
      for line in try await store.run(report: { say([$0.row]) }) { say([line]) }
    }
    if runsAll || arguments.contains("grants") {
      say(["", "A quota that processes share in Redis:", ""] + Measurement.header)
      try GrantBenchmarks(scale: isQuick ? 10 : 1).run { say([$0.row]) }
    }
    if runsAll || arguments.contains("names") {
      say(["", "Names from NSD:", ""] + Measurement.header)
      try await NameBenchmarks(count: isQuick ? 20_000 : 200_000).run { say([$0.row]) }
    }
    if runsAll || arguments.contains("local") {
      say(["", "The local database, in one process and on one core:", ""] + Measurement.header)
      let local = try LocalBenchmarks(seed: seed, count: isQuick ? 100_000 : 1_000_000, runs: 5)
      try local?.run { say([$0.row]) }
    }
  }

  private static func say(_ lines: [String]) {
    let text = Array((lines.joined(separator: "\n") + "\n").utf8)
    _ = unsafe write(STDOUT_FILENO, text, text.count)
  }
}
