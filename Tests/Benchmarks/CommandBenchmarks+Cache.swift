import TestSupport

/// What keeping answers, and how far a scan is, costs and saves.
extension CommandBenchmarks {
  /// Scans the same list with a new cache, from the cache alone, and with and without a journal.
  func kept(_ list: InputText, count: Int) throws -> [Measurement] {
    let service = try FastServer(server)
    let environment = ["SONDE_IP_API_KEY": "key", "SONDE_IP_API_URL": service.url]
    let cache = folder.file("cache.db")
    let scan = "\(sonde) scan --quiet --provider ip-api --cache \(cache)"
    func one(_ name: String, _ command: String) -> Case {
      Case(
        name: name,
        unit: "addresses",
        arguments: ["sh", "-c", command],
        items: count,
        environment: environment
      )
    }
    let forget = "rm -f \(cache)*; exec "
    var measured = try measure(inTurns: [
      one("the same, each answer kept", forget + "\(scan) \(list.path)"),
      one("the same, from the cache alone", "exec \(scan) \(list.path)"),
    ])
    let output = folder.file("out.ndjson")
    let plain = "exec \(scan) --no-cache"
    measured += try measure(inTurns: [
      one("to a file without a journal", "\(plain) - -o \(output) < \(list.path)"),
      one(
        "to a file with a journal",
        "rm -f \(output)*; \(plain) \(list.path) -o \(output)"
      ),
    ])
    measured[3].peer = .init(name: "without", measured[2])
    return measured
  }
}
