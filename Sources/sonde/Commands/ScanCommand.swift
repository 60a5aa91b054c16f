import SondeOptions

/// `sonde scan`: writes one record for each address of the inputs.
enum ScanCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    try await Enrichment(context, inputs: InputSetup(context).inputs()).run()
  }
}
