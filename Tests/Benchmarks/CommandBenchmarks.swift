import SondeAddresses
import SondeDatabases
import Glibc
import TestSupport

/// Whole processes, as a user runs them, on inputs made for the occasion.
///
/// Nothing large is held in this process meanwhile; see ``ChildProcess/wait()``.
struct CommandBenchmarks {
  private let runs = 5
  let seed: UInt64
  let scale: Int
  let folder: ScratchFolder
  let sonde: String
  let server: String
  private let allocationCount: String

  /// Prepares for `sonde` and the server beside this program.
  ///
  /// - Parameters:
  ///   - seed: What the inputs are made from.
  ///   - scale: By how much they are smaller than usual.
  /// - Throws: When a program is missing.
  init(seed: UInt64, scale: Int) throws {
    let path = CommandLine.arguments[0]
    let own = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    (sonde, server) = (own + "sonde", own + "BenchmarkServer")
    for program in [sonde, server] where unsafe access(program, X_OK) != 0 {
      throw BenchmarkError("\(program) is not there: swift build -c release --disable-local-rpath")
    }
    self.seed = seed
    self.scale = scale
    folder = try ScratchFolder()
    allocationCount = try Self.countOfAllocations(in: folder)
  }

  /// Compiles what counts the allocations of the processes that it is preloaded into.
  private static func countOfAllocations(in folder: ScratchFolder) throws -> String {
    let library = folder.file("allocations.so")
    let sources = "Tests/Benchmarks/Allocations"
    let clang = try ChildProcess([
      "clang", "-shared", "-fPIC", "-O2", "-I", "\(sources)/include", "-o", library,
      "\(sources)/AllocationCount.c",
    ])
    guard clang.wait().status == 0 else {
      throw BenchmarkError("clang cannot compile \(sources), from the checkout's root")
    }
    return library
  }

  func run(report: (Measurement) -> Void) throws {
    for measurement in try starts() { report(measurement) }
    let million = try addressList(1_000_000 / scale)
    for measurement in try check(million, count: 1_000_000 / scale) { report(measurement) }
    try scans(of: million, report: report)
    for measurement in try maxMind(million) { report(measurement) }
  }

  /// Scans of a million addresses, online and not.
  func scans(report: (Measurement) -> Void) throws {
    try scans(of: try addressList(1_000_000 / scale), report: report)
  }

  private func scans(of list: InputText, report: (Measurement) -> Void) throws {
    report(try scanServed(list, count: list.items))
    for measurement in try kept(list, count: list.items) { report(measurement) }
    if let local = try scanLocal(list, count: list.items) { report(local) }
  }

  // MARK: - Running

  /// A command to be measured.
  struct Case {
    var name: String
    var unit: String
    var arguments: [String]
    var items: Int
    var bytes = 0
    var environment: [String: String] = [:]
    /// The most turns that it takes: fewer for a peer so slow that the others would wait for it.
    var turns = Int.max
  }

  /// Runs commands several times, taking turns, their output dropped.
  func measure(inTurns cases: [Case], runs: Int? = nil) throws -> [Measurement] {
    var usages = cases.map { _ in [Usage]() }
    for turn in 0..<(runs ?? self.runs) {
      for (index, one) in cases.enumerated() where turn < one.turns {
        let child = try ChildProcess(one.arguments, environment: own(one.environment))
        let usage = child.wait()
        guard usage.status == 0 else { throw BenchmarkError("\(one.arguments) failed") }
        usages[index].append(usage)
      }
    }
    for (index, one) in cases.enumerated() where one.arguments.contains(sonde) {
      usages[index][usages[index].count - 1].allocations = try allocations(of: one)
    }
    return zip(cases, usages).map { one, usages in
      Measurement(
        name: one.name,
        unit: one.unit,
        items: one.items,
        bytes: one.bytes,
        usages: usages
      )
    }
  }

  /// Runs a command once more and counts how often it asks for memory.
  private func allocations(of one: Case) throws -> Int {
    let file = folder.file("allocations")
    let counting = ["LD_PRELOAD": allocationCount, "ALLOCATIONS_FILE": file]
    let environment = own(one.environment).merging(counting) { _, new in new }
    unsafe unlink(file)
    guard try ChildProcess(one.arguments, environment: environment).wait().status == 0 else {
      throw BenchmarkError("\(one.arguments) failed")
    }
    var count: Int?
    try output(["cat", file]) { bytes in
      count = Int(String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self))
    }
    guard let count else { throw BenchmarkError("\(one.arguments) counts no allocations") }
    return count
  }

  /// Runs a command several times, its output dropped.
  func measure(
    _ name: String,
    _ unit: String,
    _ arguments: [String],
    items: Int,
    bytes: Int = 0,
    runs: Int? = nil,
    environment: [String: String] = [:]
  ) throws -> Measurement {
    let one = Case(
      name: name,
      unit: unit,
      arguments: arguments,
      items: items,
      bytes: bytes,
      environment: environment
    )
    return try measure(inTurns: [one], runs: runs)[0]
  }

  /// The variables of a command, whose cache and quotas are not the user's.
  private func own(_ environment: [String: String]) -> [String: String] {
    let folders = ["XDG_CACHE_HOME": folder.path, "XDG_STATE_HOME": folder.path]
    return environment.merging(folders) { given, _ in given }
  }

  /// Whether a program is there and does what it should.
  func succeeds(_ arguments: [String]) -> Bool {
    (try? ChildProcess(arguments, environment: own([:])).wait().status) == 0
  }

  /// Runs a command once and hands over what it writes.
  private func output(
    _ arguments: [String],
    environment: [String: String] = [:],
    to take: (Span<UInt8>) -> Void
  ) throws {
    let pipe = try Pipe()
    let child = try ChildProcess(arguments, environment: own(environment), output: pipe.writing)
    pipe.drain(take)
    guard child.wait().status == 0 else { throw BenchmarkError("\(arguments) failed") }
  }

  func digest(_ arguments: [String]) throws -> Digest {
    var digest = Digest()
    try output(arguments) { digest.update($0) }
    return digest
  }

  private func addressList(_ count: Int) throws -> InputText {
    var addresses = DistinctAddresses(seed: seed)
    return try folder.write("addresses-\(count).txt", items: count) { output in
      addresses.next()?.append(to: &output)
      output.append(UInt8(ascii: "\n"))
    }
  }
}

// MARK: - What is measured

extension CommandBenchmarks {
  /// What next to no work takes, beside another program of as many libraries.
  private func starts() throws -> [Measurement] {
    let list = try folder.write("line.txt", items: 1) { $0.append(contentsOf: "8.8.8.8\n".utf8) }
    func one(_ name: String, _ arguments: [String]) -> Case {
      Case(name: name, unit: "runs", arguments: arguments, items: 1)
    }
    var cases = [
      one("`curl --version`", ["curl", "--version"]),
      one("`sonde --version`", [sonde, "--version"]),
      one("`sonde check`, one line", [sonde, "check", list.path]),
      one("`sonde extract`, one line", [sonde, "extract", list.path]),
    ]
    if LocalDatabases.defaultPaths.first != nil {
      let lookup = [sonde, "lookup", "--provider", "local", "8.8.8.8"]
      cases.append(one("`sonde lookup --provider local`, one address", lookup))
    }
    var measured = try measure(inTurns: cases, runs: 200)
    for index in measured.indices.dropFirst() {
      measured[index].peer = .init(name: "`curl --version`", measured[0])
    }
    return measured
  }

  private func check(_ small: InputText, count: Int) throws -> [Measurement] {
    let sample = try addressList(count / 10)
    let python = ["python3", "-c", Self.python, sample.path]
    let ips = ["--quiet", "--format", "csv", "--fields", "ip"]
    guard try digest([sonde, "check"] + ips + [sample.path]) == digest(python) else {
      throw BenchmarkError("check and Python's ipaddress differ")
    }
    let peer = try measure("", "", python, items: count / 10, runs: 3)
    let large = try addressList(10 * count)
    guard try digest([sonde, "check", "--quiet", large.path]).lines == large.items else {
      throw BenchmarkError("check loses lines")
    }
    return try [small, large].map { list in
      var found = try measure(
        "`sonde check`, \(list.items) addresses",
        "lines",
        [sonde, "check", "--quiet", list.path],
        items: list.items,
        bytes: list.bytes
      )
      found.peer = .init(name: "python3 ipaddress", peer)
      return found
    } + [try checkKeepingDuplicates(large)]
  }

  /// The same work in Python, with the header that `--format csv` has.
  private static let python = """
    import ipaddress, sys
    print("ip")
    for line in open(sys.argv[1]):
        print(ipaddress.ip_address(line.strip()))
    """

  private func checkKeepingDuplicates(_ list: InputText) throws -> Measurement {
    try measure(
      "the same, `--duplicates keep`",
      "lines",
      [sonde, "check", "--quiet", "--duplicates", "keep", list.path],
      items: list.items,
      bytes: list.bytes
    )
  }

  private func scanServed(_ list: InputText, count: Int) throws -> Measurement {
    let service = try FastServer(server)
    let environment = ["SONDE_IP_API_KEY": "key", "SONDE_IP_API_URL": service.url]
    let command = [sonde, "scan", "--quiet", "--no-cache", "--provider", "ip-api", list.path]
    var answers = AnswerCheck(expected: DistinctAddresses(seed: seed))
    try output(command, environment: environment) { answers.take($0) }
    guard answers.lines == count, answers.wrong == 0 else {
      throw BenchmarkError("\(answers.wrong) of \(answers.lines) answers are wrong")
    }
    return try measure(
      "`sonde scan`, ip-api, batches of 100",
      "addresses",
      command,
      items: count,
      environment: environment
    )
  }

  /// `nil` where the machine has no database.
  private func scanLocal(_ list: InputText, count: Int) throws -> Measurement? {
    let command = [sonde, "scan", "--quiet", "--no-cache", "--provider", "local", list.path]
    guard LocalDatabases.defaultPaths.first != nil else { return nil }
    return try measure("`sonde scan --provider local`", "addresses", command, items: count)
  }
}
