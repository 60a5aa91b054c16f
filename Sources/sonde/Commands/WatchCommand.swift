/// `sonde watch`: every change of the network as it happens, and alerts.
enum WatchCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let watch = try await Watch(context)
    // It runs until a signal ends it, so that is a success.
    let (status, _) = await Signals.cancelling(always: .success) {
      await context.options.once ? watch.once() : watch.run()
    }
    return status
  }
}
