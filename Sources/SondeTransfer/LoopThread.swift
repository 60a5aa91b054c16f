import SondeSystem

extension TransferLoop {
  /// Runs a loop on a separate thread; libcurl's resolver threads inherit its blocked signals.
  /// - Throws: ``TransferError`` if the thread or the loop cannot be created.
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
