import System

extension TransferLoop {
  /// Runs a loop on a thread of its own; libcurl's resolver threads inherit that it takes no signals.
  /// - Throws: ``TransferError`` when there is no thread or no loop to be had.
  static func start(
    inbox: Inbox,
    configuration: HTTPClient.Configuration
  ) throws(TransferError) -> Thread {
    let loop = try TransferLoop(inbox: inbox, configuration: configuration)
    do {
      return try Thread { loop.run() }
    } catch {
      throw TransferError(.misconfigured("no thread could be started: \(error)"))
    }
  }
}
