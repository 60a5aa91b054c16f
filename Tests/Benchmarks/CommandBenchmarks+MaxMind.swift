import TestSupport

/// A database in MaxMind's format, beside Python's `maxminddb` with its C reader.
extension CommandBenchmarks {
  /// Asks for the countries of a list, in 100,000 networks of 250 countries.
  ///
  /// - Parameter list: The addresses, one a line.
  /// - Returns: Nothing where `maxminddb` is not installed.
  /// - Throws: ``BenchmarkError`` when the answers differ, or a command fails.
  func maxMind(_ list: InputText) throws -> [Measurement] {
    let sample = folder.file("sample.txt")
    let count = list.items / 10
    guard succeeds(["python3", "-c", "import maxminddb.extension"]) else { return [] }
    guard let database = countryDatabase(),
      succeeds(["sh", "-c", #"head -n "$0" "$1" > "$2""#, "\(count)", list.path, sample])
    else { throw BenchmarkError("no database can be made") }

    let options = ["--quiet", "--no-cache", "--provider", "local", "--database", database]
    let fields = ["--format", "csv", "--fields", "ip,country_code"]
    let scan = [sonde, "scan"] + options + fields
    let python = ["python3", "-c", Self.reader, database, sample]
    guard try digest(scan + [sample]) == digest(python) else {
      throw BenchmarkError("a scan and maxminddb differ")
    }
    var measured = try measure(inTurns: [
      Case(
        name: "`sonde scan --database countries.mmdb`",
        unit: "addresses",
        arguments: scan + [list.path],
        items: list.items
      ),
      Case(name: "python3 maxminddb", unit: "addresses", arguments: python, items: count),
    ])
    measured[0].peer = .init(name: measured[1].name, measured[1])
    return measured
  }

  /// Makes a database of countries; `nil` where that cannot be done.
  func countryDatabase() -> String? {
    let database = folder.file("countries.mmdb")
    let isMade = succeeds(["python3", "-c", Self.writer, Self.testFolder, database])
    return isMade ? database : nil
  }

  /// Where the tests keep what writes such databases.
  private static var testFolder: String {
    String(#filePath.prefix(through: #filePath.lastIndex(of: "/") ?? #filePath.startIndex))
      + "../Blackbox"
  }

  private static let writer = """
    import random, sys
    sys.path.insert(0, sys.argv[1])
    import mmdb
    codes = [a + b for a in "ABCDEFGHIJ" for b in "ABCDEFGHIJKLMNOPQRSTUVWXY"]
    chosen = random.Random(1)
    numbers = chosen.sample(range(1 << 24), 100_000)
    networks = {
        f"{n >> 16}.{n >> 8 & 255}.{n & 255}.0/24": {"country": {"iso_code": chosen.choice(codes)}}
        for n in numbers
    }
    networks.update({f"{n}.0.0.0/8": {"country": {"iso_code": codes[n]}} for n in range(1, 200, 2)})
    mmdb.write(sys.argv[2], "GeoLite2-Country", networks)
    """

  /// The records of special-purpose addresses, which are no provider's business, are not in the list.
  private static let reader = """
    import sys, maxminddb
    get = maxminddb.open_database(sys.argv[1], maxminddb.MODE_MMAP_EXT).get
    print("ip,country_code")
    for line in open(sys.argv[2]):
        ip = line.strip()
        answer = get(ip)
        print(ip, answer["country"]["iso_code"] if answer else "", sep=",")
    """
}
