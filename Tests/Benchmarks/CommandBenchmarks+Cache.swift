/// What keeping answers, and how far a scan is, costs and saves.
extension CommandBenchmarks {
  /// Scans the same list with a new cache, from the cache alone, and with and without a journal.
  func kept(_ list: InputText, count: Int) throws -> [Measurement] {
    let service = try FastServer(server)
    let environment = ["SONDE_IP_API_KEY": "key", "SONDE_IP_API_URL": service.url]
    let cache = folder.file("cache.db")
    let scan = "\(sonde) scan --quiet --provider ip-api --cache \(cache)"
    func run(_ name: String, _ command: String) throws -> Measurement {
      try measure(name, "addresses", ["sh", "-c", command], items: count, environment: environment)
    }
    let forget = "rm -f \(cache)*; exec "
    let fresh = try run("the same, each answer kept", forget + "\(scan) \(list.path)")
    let cached = try run("the same, from the cache alone", "exec \(scan) \(list.path)")
    let output = folder.file("out.ndjson")
    let plain = "exec \(scan) --no-cache"
    let without = try run("to a file without a journal", "\(plain) - -o \(output) < \(list.path)")
    var with = try run(
      "to a file with a journal",
      "rm -f \(output)*; \(plain) \(list.path) -o \(output)"
    )
    with.peer = .init(name: "without", itemsPerSecond: without.itemsPerSecond)
    return [fresh, cached, without, with]
  }
}
