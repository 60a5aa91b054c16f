import SondeAddresses
import SondeInputs
import SondeProviders
import SondeRecords
import SondeTransfer

/// The stages of the pipeline, each alone and in this process.
struct StageBenchmarks {
  private let runs: Int
  private let addresses: [Address]
  private let list: [UInt8]

  init(seed: UInt64, count: Int, runs: Int) {
    self.runs = runs
    addresses = Array(DistinctAddresses(seed: seed).prefix(count))
    var list: [UInt8] = []
    for address in addresses {
      address.append(to: &list)
      list.append(UInt8(ascii: "\n"))
    }
    self.list = list
  }

  func run(report: (Measurement) -> Void) throws {
    report(try addressParsing())
    report(try distinctSingly())
    report(try distinctInBlocks())
    report(try listParsing(keepsDuplicates: true))
    report(try listParsing(keepsDuplicates: false))
    for measurement in try logs() { report(measurement) }
    let answer = Response(status: 200, body: batchAnswer())
    report(try jsonReading(answer))
    report(try encoding("bare records", bareRecords, .ndjson))
    for format in [Format.ndjson, .json, .csv, .table] {
      report(try encoding("records", answers(answer, of: IPAPI()), format))
    }
  }

  private func measurement(
    _ name: String,
    _ unit: String = "addresses",
    items: Int? = nil,
    bytes: Int = 0,
    _ work: () throws -> Void
  ) throws -> Measurement {
    Measurement(
      name: name,
      unit: unit,
      items: items ?? addresses.count,
      bytes: bytes,
      usages: try usages(runs, work)
    )
  }
}

// MARK: - Reading

extension StageBenchmarks {
  private func addressParsing() throws -> Measurement {
    try measurement("address to text and back") {
      var text: [UInt8] = []
      for address in addresses {
        text.removeAll(keepingCapacity: true)
        address.append(to: &text)
        guard Address(ascii: text.span) == address else {
          throw BenchmarkError("\(address) does not read back")
        }
      }
    }
  }

  private func distinctSingly() throws -> Measurement {
    try measurement("distinct set, one by one") {
      var set = DistinctSet()
      for address in addresses { _ = set.insert(address) }
      guard set.count == addresses.count else { throw BenchmarkError("addresses got lost") }
    }
  }

  private func distinctInBlocks() throws -> Measurement {
    try measurement("distinct set, in blocks") {
      var set = DistinctSet()
      for start in stride(from: 0, to: addresses.count, by: DistinctSet.blockSize) {
        let end = min(start + DistinctSet.blockSize, addresses.count)
        _ = set.insert(addresses.span.extracting(start..<end))
      }
      guard set.count == addresses.count else { throw BenchmarkError("addresses got lost") }
    }
  }

  private func listParsing(keepsDuplicates: Bool) throws -> Measurement {
    let name = "list to entries" + (keepsDuplicates ? "" : ", distinct")
    return try measurement(name, "lines", bytes: list.count) {
      var rules = EntryRules()
      rules.keepsDuplicates = keepsDuplicates
      let count = parse(list, rules)
      guard count == addresses.count else { throw BenchmarkError("lines got lost") }
    }
  }

  /// The search alone.
  private func logs() throws -> [Measurement] {
    let logs = [
      (nil, false, "IPv4"), (10, false, "one in ten IPv6"), (nil, true, "IPv4, `Chrome/120.0.0.0`"),
    ]
    return try logs.map { share, versions, name in
      var (lines, text) = (
        LogLines(seed: 7, clients: addresses.count / 2, ipv6: share, versions: versions), [UInt8]()
      )
      while text.count < 100 * addresses.count { lines.append(to: &text) }
      return try logSearch(text, count: lines.ipv4 + lines.ipv6, name)
    }
  }

  private func logSearch(_ text: [UInt8], count: Int, _ name: String) throws -> Measurement {
    var matches: [LogMatch] = []
    return try measurement("log search, \(name)", items: count, bytes: text.count) {
      var found = 0
      for start in stride(from: 0, to: text.count, by: 1 << 20) {
        matches.removeAll(keepingCapacity: true)
        searchLog(text.span.extracting(start..<min(text.count, start + 1 << 20)), into: &matches)
        found += matches.count
      }
      // Few addresses lie across the borders of such pieces.
      guard abs(found - count) < count / 1000 else {
        throw BenchmarkError("the search finds \(found) addresses, not \(count)")
      }
    }
  }

  /// Parses a text in pieces and counts the records.
  private func parse(_ text: [UInt8], _ rules: EntryRules) -> Int {
    var parser = ListParser(rules: rules)
    var (start, count) = (0, 0)
    while start < text.count {
      let end = min(start + 256 << 10, text.count)
      var entries = EntryBlock()
      start += parser.parse(
        text.span.extracting(start..<end),
        isLast: end == text.count,
        into: &entries,
        limit: 4096
      )
      count += entries.block.records.count
    }
    return count
  }
}

// MARK: - Answering

extension StageBenchmarks {
  private static let batches = 2000

  private var batch: [Address] { Array(addresses.prefix(100)) }

  private func batchAnswer() -> [UInt8] {
    let entries = batch.map { address in
      #"{"status":"success","country":"Canada","countryCode":"CA","region":"QC","#
        + #""regionName":"Quebec","city":"Montreal","zip":"H1K","lat":45.6085,"lon":-73.5493,"#
        + #""timezone":"America/Toronto","isp":"Le Groupe Videotron Ltee","#
        + #""org":"Videotron Ltee","as":"AS5769 Videotron Telecom Ltee","query":"\#(address)"}"#
    }
    return Array("[\(entries.joined(separator: ","))]".utf8)
  }

  private func answers(_ response: Response, of api: IPAPI) throws -> RecordBlock {
    let reading = api.read(response, for: batch, form: .batch, time: 1_800_000_000)
    guard case .answers(let answers) = reading.content, answers.missing.isEmpty else {
      throw BenchmarkError("the answer is not read whole")
    }
    return answers.block
  }

  private func jsonReading(_ response: Response) throws -> Measurement {
    let (api, batch) = (IPAPI(), batch)
    return try measurement(
      "ip-api answers of 100 to records",
      "records",
      items: Self.batches * 100,
      bytes: Self.batches * response.body.count
    ) {
      for _ in 0..<Self.batches {
        let reading = api.read(response, for: batch, form: .batch, time: 1_800_000_000)
        guard case .answers(let answers) = reading.content, answers.missing.isEmpty else {
          throw BenchmarkError("the answer is not read whole")
        }
      }
    }
  }

  /// What `check` writes.
  private var bareRecords: RecordBlock {
    var block = RecordBlock()
    block.records = batch.map { Record(address: $0, status: .ok) }
    for index in block.records.indices {
      block.records[index].place.line = 1_000_000 + UInt64(index)
    }
    return block
  }

  private func encoding(
    _ name: String,
    _ block: RecordBlock,
    _ format: Format
  ) throws -> Measurement {
    let encoder = RecordEncoder(format: format)
    var output: [UInt8] = []
    encoder.append(block, to: &output)
    let bytes = output.count
    return try measurement(
      "\(name) to \(format.name)",
      "records",
      items: Self.batches * 100,
      bytes: Self.batches * bytes
    ) {
      for _ in 0..<Self.batches {
        output.removeAll(keepingCapacity: true)
        encoder.append(block, to: &output)
        guard output.count == bytes else { throw BenchmarkError("the output changes") }
      }
    }
  }
}
