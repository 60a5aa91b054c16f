import SondeOptions
import SondeReport

/// `sonde watch`: every change of the network as it happens, and alerts.
enum WatchCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    Signals.endWithSuccess()
    let watch = try await Watch(context)
    let (status, _) = await Signals.cancelling {
      await context.options.once ? watch.once() : watch.run()
    }
    return status
  }
}
