import SondeOptions

/// `sonde check`: what a scan would make of the inputs; an enrichment that asks nobody.
enum CheckCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    try await Enrichment(context, inputs: InputSetup(context).inputs()).run()
  }
}
