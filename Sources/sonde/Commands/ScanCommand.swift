import SondeOptions

/// `sonde scan`: every address of the inputs, one record each.
enum ScanCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    try await Enrichment(context, inputs: InputSetup(context).inputs()).run()
  }
}
