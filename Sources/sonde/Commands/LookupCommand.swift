import SondeInputs
import SondeOptions

/// `sonde lookup`: answers a few addresses, laid out for reading.
enum LookupCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = context.operands.map { $0 == "-" ? Input.standardInput : .literal($0) }
    return try await Enrichment(context, inputs: inputs).run()
  }
}
