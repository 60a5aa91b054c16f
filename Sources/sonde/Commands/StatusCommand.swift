import Glibc
import SondeSetup
import SondeAsking
import SondeOptions
import SondeReachability
import SondeRecords
import SondeReport
import SondeStore

/// `sonde status`: reports the current state of the network, layer by layer.
enum StatusCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let watch = WatchSetup(context)
    let monitor = try watch.monitor(of: watch.endpoint())
    let shared = try await StoreSetup(context).shared(warn: context.console.note)?.ledger
    let (status, signal) = await Signals.cancelling { () -> NetworkStatus? in
      let outage = await shared?.look()
      monitor.report(outage: NetworkOutage(telling: outage))
      // The first verdict may precede the report of the outage.
      for await state in monitor.states() where outage == nil || !state.verdict.isOnline {
        return monitor.currentStatus
      }
      return nil
    }
    await shared?.close()
    guard let status else { return signal ?? .inputOutput }
    let databases = DatabaseSetup(context).builds
    let written = await StandardOutput.write(
      context.options.statusFormat == .json
        ? String(decoding: status.json(with: databases).line, as: UTF8.self)
        : status.text(
          with: databases,
          colored: context.colorsOutput,
          width: terminalWidth(of: STDOUT_FILENO) ?? .max
        )
    )
    guard written == .success else { return written }
    return status.state?.verdict.isOnline == true ? .success : .networkLost
  }
}
