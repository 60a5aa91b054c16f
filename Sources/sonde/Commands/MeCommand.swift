import Providers
import Scanner
import Transfer

/// `sonde me`: this machine's public address, then what is known of it.
enum MeCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let base = context.options.ipifyURL.map { BaseURL($0) }
    if let base, base.endpoint == nil {
      throw context.usageError("'\(base.text)' is not an http:// or https:// URL")
    }
    // Before anybody is asked.
    try context.checkOutputs(against: [])
    let service = IPify(base: base)
    let (finding, signal) = await Signals.cancelling { await ask(service, context) }
    if let signal { return signal }
    switch finding {
    case .found(let address):
      let inputs = [Input.literal(address)]
      return try await Enrichment(context, inputs: inputs, cards: true).run()
    case .failed(let reason, let status):
      context.console.error("ipify: \(reason)")
      return status
    }
  }

  private enum Finding {
    case found(String)
    case failed(String, ExitStatus)
  }

  private static func ask(_ service: IPify, _ context: Context) async -> Finding {
    do {
      let client = try HTTPClient(configuration: context.clientConfiguration())
      var request = service.request
      request.timeout = context.options.timeout
      request.connectTimeout = context.options.timeout
      switch service.read(try await client.send(request)) {
      case .success(let address): return .found("\(address)")
      case .failure(let error):
        return .failed("\(service.base.authority): \(error.reason)", .failed)
      }
    } catch let error as TransferError {
      return .failed("\(error)", error.evidence?.isLoss == true ? .networkLost : .failed)
    } catch {
      return .failed("interrupted", .interrupted)
    }
  }
}
