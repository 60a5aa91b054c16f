package import SondeAlerts
import SondeOptions
package import SondeReport
import SondeSystem
import SondeTransfer

/// The webhooks of the options, each with the queue of its URL.
package struct WebhookSetup {
  private let context: Context

  package init(_ context: Context) { self.context = context }

  /// Opens the queues.
  ///
  /// - Throws: ``UsageError`` for an invalid or repeated URL, or without a directory for alerts; the
  ///   error of the client.
  package func webhooks() throws -> [Webhook] {
    let targets = try targets()
    guard !targets.isEmpty else { return [] }
    guard let folder = UserFolders(environment: context.environment).state else {
      throw context.valueError(
        "webhook",
        " keeps alerts in HOME or XDG_STATE_HOME: set one of them"
      )
    }
    // No URL waits for another of its host.
    let client = try ConnectionSetup(context).client(connections: targets.count)
    return try targets.map { target in
      try Webhook(
        to: target,
        client: client,
        place: place(of: target, in: folder),
        console: context.console
      )
    }
  }

  /// The receivers and the forms of their messages.
  ///
  /// - Throws: ``UsageError`` for an invalid or repeated URL or form.
  package func targets() throws -> [WebhookTarget] {
    let host = HostName.own(context)
    var urls: Set<String> = []
    return try context.options.webhooks.enumerated().map { index, receiver in
      do {
        let target = try WebhookTarget(receiver.url, as: receiver.format, host: host)
        guard urls.insert(target.url).inserted else {
          throw context.valueError("webhook", at: index, " has the same URL twice: \(target.shown)")
        }
        return target
      } catch let error as WebhookError {
        throw context.valueError("webhook", at: index, ": \(error.reason)")
      }
    }
  }

  private func place(of target: WebhookTarget, in folder: String) -> AlertPlace? {
    do throws(SystemError) {
      return try AlertPlace(in: folder, of: target.url)
    } catch {
      context.console.error(
        "--webhook: \(target.shown): \(folder): \(error); alerts are kept in memory only"
      )
      return nil
    }
  }
}

extension Context {
  /// The alarms that the options configure.
  ///
  /// - Throws: that of ``WebhookSetup/webhooks()``.
  package func alarms() throws -> Alarms {
    let webhooks = try WebhookSetup(self).webhooks()
    return Alarms(options, webhooks, in: environment, host: HostName.own(self), console)
  }
}
