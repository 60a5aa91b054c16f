import SondeAddresses
import SondeDatabases
import TestSupport

/// Lines of JSON and tables with 200,000 clients, 100 MB of long lines and a million short ones each,
/// beside the programs that such files are usually given to.
extension CommandBenchmarks {
  /// Nothing where the machine has no database.
  func tables() throws -> [Measurement] {
    guard LocalDatabases.defaultPaths.first != nil else { return [] }
    let json = [
      ("long lines", try file("log.jsonl", items: 330_000, row: JSONRow.self)),
      ("short lines", try file("short.jsonl", items: 1_000_000, row: ShortJSONRow.self)),
    ]
    let tables = [
      ("long lines", try file("log.csv", items: 600_000, row: CSVRow.self)),
      ("short lines", try file("short.csv", items: 1_000_000, row: ShortCSVRow.self)),
    ]
    return try json.flatMap { lines, file in
      try annotate(file, lines, style: "json", beside: ["jq", "-c", ".+{s:1}", file.path])
    }
      + tables.flatMap { lines, file in
        try annotate(file, lines, style: "columns", beside: ["mlr", "--csv", "cat", file.path])
      }
  }

  private func file(_ name: String, items: Int, row: any LogRow.Type) throws -> InputText {
    var addresses = DistinctAddresses(seed: seed)
    let clients = (0..<200_000 / scale).compactMap { _ in addresses.next() }
    var (generator, isFirst) = (SeededGenerator(seed: seed), true)
    return try folder.write(name, items: items / scale) { output in
      if isFirst { output += row.header.utf8 }
      isFirst = false
      let client = clients[Int(generator.next() % UInt64(clients.count))]
      row.append("\(client)", number: generator.next(), to: &output)
    }
  }

  private func annotate(
    _ file: InputText,
    _ lines: String,
    style: String,
    beside peer: [String]
  ) throws -> [Measurement] {
    let options = ["--quiet", "--no-cache", "--provider", "local", "--style", style]
    let command = [sonde, "annotate"] + options + [file.path]
    let count = try digest(["cat", file.path]).lines
    guard try digest(command).lines == count else { throw BenchmarkError("\(style): lines differ") }
    func one(_ name: String, _ arguments: [String]) -> Case {
      Case(name: name, unit: "lines", arguments: arguments, items: file.items, bytes: file.bytes)
    }
    let name = "`\(peer.dropLast().joined(separator: " "))`"
    let hasPeer = try succeeds(peer) && digest(peer).lines == count
    var measured = try measure(
      inTurns: [one("`sonde annotate --style \(style) --provider local`, \(lines)", command)]
        + (hasPeer ? [one(name, peer)] : [])
    )
    if hasPeer { measured[0].peer = .init(name: name, measured[1]) }
    return measured
  }
}

/// A line of a log that is made for a measurement.
private protocol LogRow {
  static var header: String { get }

  /// Appends a line.
  static func append(_ client: String, number: UInt64, to output: inout [UInt8])
}

private enum JSONRow: LogRow {
  static let header = ""

  static func append(_ client: String, number: UInt64, to output: inout [UInt8]) {
    output += #"{"time":"2026-11-20T18:55:36+00:00","remote_addr":"\#(client)","#.utf8
    output += #""method":"GET","path":"/assets/app.\#(number % 1_000_000).js","#.utf8
    output += #""status":200,"bytes":5316,"#.utf8
    output += #""duration":0.0\#(number % 997),"referer":"https://example.org/a/b","#.utf8
    output += #""user_agent":"Mozilla/5.0 (X11; Linux x86_64; rv:121.0)","#.utf8
    output += #""host":"www.example.org","tls":{"version":"TLSv1.3"}}"#.utf8
    output.append(UInt8(ascii: "\n"))
  }
}

private enum CSVRow: LogRow {
  static let header = "time,remote_addr,method,path,status,bytes,duration,referer,user_agent,host\n"

  static func append(_ client: String, number: UInt64, to output: inout [UInt8]) {
    output += "2026-11-20T18:55:36+00:00,\(client),GET,/assets/app.\(number % 1_000_000).js,".utf8
    output += "200,5316,0.0\(number % 997),https://example.org/a/b,".utf8
    output += #""Mozilla/5.0 (X11; Linux x86_64, rv:121.0)",www.example.org"#.utf8
    output.append(UInt8(ascii: "\n"))
  }
}

/// Some 130 bytes with their address.
private enum ShortJSONRow: LogRow {
  static let header = ""

  static func append(_ client: String, number: UInt64, to output: inout [UInt8]) {
    output += #"{"time":"2026-11-20T18:55:36+00:00","remote_addr":"\#(client)","#.utf8
    output += #""method":"GET","path":"/app.\#(number % 1_000_000).js","#.utf8
    output += #""status":200,"bytes":5316}"#.utf8
    output.append(UInt8(ascii: "\n"))
  }
}

private enum ShortCSVRow: LogRow {
  static let header = "time,remote_addr,method,path,status,bytes,referer,user_agent\n"

  static func append(_ client: String, number: UInt64, to output: inout [UInt8]) {
    output += "2026-11-20T18:55:36+00:00,\(client),GET,/assets/app.\(number % 1_000_000).js,".utf8
    output += #"200,5316,https://example.org/a/b,"curl/7.88.1 (x86_64, linux-gnu)""#.utf8
    output.append(UInt8(ascii: "\n"))
  }
}
