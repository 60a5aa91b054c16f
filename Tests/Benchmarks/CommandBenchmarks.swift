/// Whole processes, as a user runs them.
struct CommandBenchmarks {
  init(seed: UInt64, scale: Int) throws {}
  func run(report: (Measurement) -> Void) throws {}
}
