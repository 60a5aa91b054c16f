import SondeSetup
import SondeInputs
import SondeOptions

/// `sonde scan` writes one record for each address of the inputs; `sonde check` reports what a scan
/// would make of them, without asking any provider.
enum ScanCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    try await Enrichment(context, inputs: InputSetup(context).inputs()).run()
  }
}

/// `sonde lookup`: answers a few addresses, laid out for reading.
enum LookupCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let inputs = context.operands.map { $0 == "-" ? Input.standardInput : .literal($0) }
    return try await Enrichment(context, inputs: inputs).run()
  }
}
