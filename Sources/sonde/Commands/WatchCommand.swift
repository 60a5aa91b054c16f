import SondeSetup
import SondeOptions
import SondeReport

/// `sonde watch`: reports every network change as it happens and raises alerts.
enum WatchCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    if context.options.testAlert {
      let test = try AlertTest(context)
      let (status, signal) = await Signals.cancelling(watchesOutput: false) { await test.run() }
      return signal ?? status
    }
    Signals.endWithSuccess()
    let watch = try await Watch(context)
    let (status, _) = await Signals.cancelling {
      await context.options.once ? watch.once() : watch.run()
    }
    return status
  }
}
