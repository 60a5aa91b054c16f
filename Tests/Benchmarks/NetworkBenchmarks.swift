import SondeAddresses
import SondeDatabases
import TestSupport

/// Addresses against tables of networks: 20,000 that are left out, beside grepcidr, and a million that
/// add columns, beside a scan without them.
extension CommandBenchmarks {
  func networks() throws -> [Measurement] {
    try excluding() + adding()
  }

  // MARK: - Leaving networks out

  /// Nothing where the machine has no grepcidr.
  private func excluding() throws -> [Measurement] {
    guard succeeds(["sh", "-c", "command -v grepcidr"]) else { return [] }
    let count = 1_000_000 / scale
    let networks = try networkList("skip.txt", count: 20_000 / scale, header: "") { _ in "" }
    let addresses = DistinctAddresses(seed: seed).prefix(count).map(\.self)
    var generator = SeededGenerator(seed: seed)
    let repeated = addresses.map { _ in addresses[Int(generator.next() % UInt64(count / 5))] }
    return try excluding(networks, of: addresses, "in no order", isDistinct: true)
      + excluding(networks, of: addresses.sorted(), "in order", isDistinct: true)
      + excluding(networks, of: repeated, "each five times", isDistinct: false)
  }

  private func excluding(
    _ networks: InputText,
    of addresses: [Address],
    _ order: String,
    isDistinct: Bool
  ) throws -> [Measurement] {
    var rest = addresses[...]
    let list = try folder.write("addresses.txt", items: addresses.count) { output in
      rest.popFirst()?.append(to: &output)
      output.append(UInt8(ascii: "\n"))
    }
    let condition = ["--where", "not ip in @\(networks.path)", "--fields", "ip", "--format", "csv"]
    let command = [sonde, "check", "--quiet"] + condition + [list.path]
    let peer = ["grepcidr", "-v", "-f", networks.path, list.path]
    let bare = ["sh", "-c", #""$@" | tail -n +2"#, "sh"] + command
    let unique = isDistinct ? peer : ["sh", "-c", #""$@" | awk '!seen[$0]++'"#, "sh"] + peer
    guard try digest(bare) == digest(unique) else { throw BenchmarkError("grepcidr differs") }
    func one(_ name: String, _ arguments: [String]) -> Case {
      Case(name: name, unit: "lines", arguments: arguments, items: list.items, bytes: list.bytes)
    }
    let name = "`grepcidr -v`"
    var measured = try measure(
      inTurns: [
        one("`sonde check --where 'not ip in @f'`, \(order)", command), one(name, peer),
      ]
    )
    measured[0].peer = .init(name: name, measured[1])
    return measured
  }

  // MARK: - Adding columns

  /// Nothing where the machine has no database.
  private func adding() throws -> [Measurement] {
    guard LocalDatabases.defaultPaths.first != nil else { return [] }
    let count = 1_000_000 / scale
    let networks = try networkList("nets.csv", count: count, header: "network,team,site\n") {
      ",team \($0 % 5_000),site \($0 % 300)"
    }
    var addresses = DistinctAddresses(seed: seed)
    let list = try folder.write("addresses.txt", items: count) { output in
      addresses.next()?.append(to: &output)
      output.append(UInt8(ascii: "\n"))
    }
    let plain = [sonde, "scan", "--quiet", "--no-cache", "--provider", "local", "--format", "csv"]
    let adding = plain + ["--with", "own=\(networks.path)"]
    func one(_ name: String, _ arguments: [String]) -> Case {
      Case(name: name, unit: "addresses", arguments: arguments, items: count)
    }
    let name = "`sonde scan --provider local`"
    let measured = try measure(
      inTurns: [
        one(name, plain + [list.path]),
        one("the same, `--with own=FILE` of a million networks", adding + [list.path]),
        one("of it to load the table", adding + ["192.0.2.1"]),
      ]
    )
    var rest = measured[1]
    rest.name = "of it the rest"
    for (index, load) in measured[2].usages.enumerated() {
      rest.usages[index].wall -= load.wall
      rest.usages[index].processor -= load.processor
    }
    rest.peer = .init(name: "without", measured[0])
    return measured + [rest]
  }

  // MARK: - Inputs

  /// Networks of the lengths that tables have, spread over all addresses.
  private func networkList(
    _ name: String,
    count: Int,
    header: String,
    rest: (Int) -> String
  ) throws -> InputText {
    let lengths = [16, 18, 20, 20, 22, 22, 24, 24, 24, 24, 24, 24, 28, 32]
    var (generator, index) = (SeededGenerator(seed: seed), 0)
    return try folder.write(name, items: count) { output in
      if index == 0 { output += header.utf8 }
      let length = lengths[Int(generator.next() % UInt64(lengths.count))]
      let number = UInt32(truncatingIfNeeded: generator.next()) & ~(UInt32.max >> length)
      Address(ipv4: number).append(to: &output)
      output += "/\(length)\(rest(index))\n".utf8
      index += 1
    }
  }
}
