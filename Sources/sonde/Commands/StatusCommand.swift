import Glibc
import Reachability
import Records
import Scanner

/// `sonde status`: the network as it is now, layer by layer.
enum StatusCommand {
  static func run(_ context: Context) async throws -> ExitStatus {
    let watch = WatchSetup(context)
    let monitor = try watch.monitor(of: watch.endpoint())
    let (status, signal) = await Signals.cancelling { () -> NetworkStatus? in
      for await _ in monitor.states() { return monitor.currentStatus }
      return nil
    }
    guard let status else { return signal ?? .inputOutput }
    let written = await StandardOutput.write(
      context.options.statusFormat == .json
        ? String(decoding: status.json.line, as: UTF8.self)
        : status.text(
          colored: context.colorsOutput,
          width: terminalWidth(of: STDOUT_FILENO) ?? .max
        )
    )
    guard written == .success else { return written }
    return status.state?.verdict.isOnline == true ? .success : .networkLost
  }
}
