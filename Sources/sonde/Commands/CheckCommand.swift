import SondeOptions

/// `sonde check`: reports what a scan would make of the inputs, without asking any provider.
enum CheckCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    try await Enrichment(context, inputs: InputSetup(context).inputs()).run()
  }
}
