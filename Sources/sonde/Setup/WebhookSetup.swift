import SondeAlerts
import SondeOptions
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
    let client = try ConnectionSetup(context).client()
    var urls: Set<String> = []
    return try arguments.map { argument in
      let url = String(argument[webhookURL(in: argument)...])
      guard try Endpoint(url: url) != nil else {
        throw context.valueError("webhook", " is not an http:// or https:// URL")
      }
      guard urls.insert(url).inserted else {
        throw context.valueError("webhook", " has the same URL twice: \(redacted(url: url))")
      }
      return try Webhook(
        url: url,
        client: client,
        place: place(of: url, in: folder),
        console: context.console,
        render: { stored, _ in
          var request = Request(url: url, method: .post, body: stored)
          request.headers = [("Content-Type", "application/json")]
          return request
        }
      )
    }
  }

  private func place(of url: String, in folder: String) -> AlertPlace? {
    do throws(SystemError) {
      return try AlertPlace(in: folder, of: url, endpoints: endpoints)
    } catch {
      context.console.error(
        "--webhook: \(redacted(url: url)): \(folder): \(error); alerts are kept in memory only"
      )
      return nil
    }
  }
}
