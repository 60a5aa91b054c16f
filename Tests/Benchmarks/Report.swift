/// What one measurement found, over several runs.
struct Measurement {
  var name: String
  /// What was counted: `lines`, `addresses`, `records`.
  var unit: String
  var items: Int
  var bytes: Int
  var usages: [Usage]
  /// The same work done by another program in the same minutes.
  var peer: Peer?

  struct Peer {
    var name: String
    private let rates: [Double]

    init(name: String, _ measurement: Measurement) {
      self.name = name
      rates = measurement.rates
    }

    /// How many times faster a measurement is: run by run where they took turns, or are as many.
    func factor(of measurement: Measurement) -> Double {
      let own = measurement.rates
      guard own.count == rates.count else { return middle(of: own) / middle(of: rates) }
      return middle(of: zip(own, rates).map { $0 / $1 })
    }
  }

  /// Items per second, run by run.
  fileprivate var rates: [Double] { usages.map { Double(items) / ($0.wall / .seconds(1)) } }

  /// The run in the middle.
  private var medianRun: Usage { usages.sorted { $0.wall < $1.wall }[usages.count / 2] }

  /// The time of the processor that a million items take, in the middle of the runs: other programs
  /// at work disturb it less than the clock's.
  private var processorPerMillion: Duration {
    .seconds(middle(of: usages.map { $0.processor / .seconds(1) }) * 1e6 / Double(items))
  }

  var itemsPerSecond: Double { Double(items) / (medianRun.wall / .seconds(1)) }
}

extension Measurement {
  static let header = [
    "| what | runs | median | items/s | MB/s | CPU | CPU/million | allocations/item | peak RSS "
      + "| against |",
    "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --- |",
  ]

  /// The measurement as a row of a Markdown table.
  var row: String {
    let seconds = medianRun.wall / .seconds(1)
    let peak = usages.compactMap(\.peakMemory).max()
    // The first run may ask for what the later ones have.
    let allocations = usages.last?.allocations
    let cells = [
      name, "\(usages.count)",
      Self.short(medianRun.wall),
      "\(short(itemsPerSecond)) \(unit)",
      bytes > 0 ? "\(rounded(Double(bytes) / seconds / 1e6, 0))" : "",
      Self.short(medianRun.processor),
      items > 1 ? "\(rounded(processorPerMillion / .seconds(1), 2)) s" : "",
      allocations.map { rounded(Double($0) / Double(items), 3) } ?? "",
      peak.map(memory) ?? "",
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
func usages(
  _ runs: Int,
  before prepare: () throws -> Void = {},
  _ work: () throws -> Void
) rethrows -> [Usage] {
  try (0..<runs).map { _ in
    try prepare()
    let meter = Meter()
    try work()
    return meter.usage
  }
}
