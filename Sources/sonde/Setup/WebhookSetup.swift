import SondeAlerts
import SondeOptions
import SondeReport
import SondeSystem
import SondeTransfer

/// The webhooks of the options, each with the queue of its URL.
struct WebhookSetup {
  /// The word in place of an endpoint, by which `serve` named its queue up to Sonde 1.3.
  private static let watchlist = "watchlist"

  private let context: Context
  private let endpoints: [String]

  /// `endpoints` are those that this command watches.
  init(_ context: Context, endpoints: [String]) {
    self.context = context
    self.endpoints = endpoints + [Self.watchlist]
  }

  /// Opens the queues.
  ///
  /// - Throws: ``UsageError`` for an invalid or repeated URL, or without a directory for alerts; the
  ///   error of the client.
  func webhooks() throws -> [Webhook] {
    let arguments = context.options.webhooks
    guard !arguments.isEmpty else { return [] }
    guard let folder = UserFolders(environment: context.environment).state else {
      throw context.valueError(
        "webhook",
        " keeps alerts in HOME or XDG_STATE_HOME: set one of them"
      )
    }
    // No URL waits for another of its host.
    let client = try ConnectionSetup(context).client(connections: arguments.count)
    var urls: Set<String> = []
    return try arguments.map { argument in
      let target = try target(argument)
      guard urls.insert(target.url).inserted else {
        throw context.valueError("webhook", " has the same URL twice: \(target.shown)")
      }
      return try Webhook(
        to: target,
        client: client,
        place: place(of: target, in: folder),
        console: context.console
      )
    }
  }

  private func target(_ argument: String) throws(UsageError) -> WebhookTarget {
    do throws(WebhookError) {
      return try WebhookTarget(argument, host: "")
    } catch {
      throw context.valueError("webhook", " \(error.reason)")
    }
  }

  private func place(of target: WebhookTarget, in folder: String) -> AlertPlace? {
    do throws(SystemError) {
      return try AlertPlace(in: folder, of: target.url, endpoints: endpoints)
    } catch {
      context.console.error(
        "--webhook: \(target.shown): \(folder): \(error); alerts are kept in memory only"
      )
      return nil
    }
  }
}
