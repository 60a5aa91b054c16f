/// What one measurement found, over several runs.
struct Measurement {
  var name: String
  /// What was counted: `lines`, `addresses`, `records`.
  var unit: String
  var items: Int
  var bytes: Int
  var times: [Duration]
  /// Processor time of the median run, if it was a process.
  var processor: Duration?
  /// The most memory that any run had resident, in bytes, if it was a process.
  var peakMemory: Int?
  /// The same work done by another program in the same minutes.
  var peer: Peer?

  struct Peer {
    var name: String
    private let rates: [Double]

    init(name: String, _ measurement: Measurement) {
      self.name = name
      rates = measurement.rates
    }

    /// How many times faster a measurement is: run by run where they took turns.
    func factor(of measurement: Measurement) -> Double {
      let own = measurement.rates
      guard own.count == rates.count else { return middle(of: own) / middle(of: rates) }
      return middle(of: zip(own, rates).map { $0 / $1 })
    }
  }

  /// Items per second, run by run.
  fileprivate var rates: [Double] { times.map { Double(items) / ($0 / .seconds(1)) } }

  /// The run in the middle.
  var median: Duration { times.sorted()[times.count / 2] }

  var itemsPerSecond: Double { Double(items) / (median / .seconds(1)) }
}

extension Measurement {
  static let header = [
    "| what | runs | median | items/s | MB/s | CPU | peak RSS | against |",
    "| --- | --: | --: | --: | --: | --: | --: | --- |",
  ]

  /// The measurement as a row of a Markdown table.
  var row: String {
    let seconds = median / .seconds(1)
    let cells = [
      name, "\(times.count)",
      Self.short(median),
      "\(short(itemsPerSecond)) \(unit)",
      bytes > 0 ? "\(rounded(Double(bytes) / seconds / 1e6, 0))" : "",
      processor.map { Self.short($0) } ?? "",
      peakMemory.map(memory) ?? "",
      peer.map { "\(rounded($0.factor(of: self), 2)) × \($0.name)" } ?? "",
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  private static func short(_ time: Duration) -> String {
    let seconds = time / .seconds(1)
    return seconds < 0.1 ? "\(rounded(seconds * 1000, 2)) ms" : "\(rounded(seconds, 2)) s"
  }

  /// A process is charged with the memory of the one that starts it; less cannot be told.
  private func memory(_ bytes: Int) -> String {
    let text = "\(rounded(Double(bytes) / 1e6, 0)) MB"
    return bytes <= ChildProcess.smallestPeak ? "< \(text)" : text
  }

  private func short(_ number: Double) -> String {
    switch number {
    case 1e6...: "\(rounded(number / 1e6, 2)) M"
    case 1e3...: "\(rounded(number / 1e3, 0)) k"
    default: rounded(number, 1)
    }
  }
}

private func middle(of numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }

/// A number with a fixed count of decimals.
private func rounded(_ number: Double, _ decimals: Int) -> String {
  var scale = 1
  for _ in 0..<decimals { scale *= 10 }
  let scaled = Int((number * Double(scale)).rounded())
  guard decimals > 0 else { return "\(scaled)" }
  let fraction = "\(scaled % scale)"
  let zeros = String(repeating: "0", count: decimals - fraction.count)
  return "\(scaled / scale).\(zeros)\(fraction)"
}

/// Runs work several times.
func times(_ runs: Int, _ work: () throws -> Void) rethrows -> [Duration] {
  try (0..<runs).map { _ in
    let start = ContinuousClock.now
    try work()
    return .now - start
  }
}
