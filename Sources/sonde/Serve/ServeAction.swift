import SondeSetup
import SondeAccounts
import SondeDashboard
import SondeDashboardAPI
import SondeOptions

/// A request that `sonde serve` can send to a running server.
enum ServeAction: Equatable, Sendable {
  /// Creates a one-time link.
  case link
  /// An action on the accounts; all but two need the email of one.
  case user(UserAction, email: String?)

  /// Parses operands; `nil` without operands.
  ///
  /// - Throws: ``UsageError`` for an invalid request.
  init?(_ operands: [String], _ context: Context) throws(UsageError) {
    let names = UserAction.allCases.map(\.rawValue)
    switch operands.first {
    case nil: return nil
    case "user":
      guard operands.count > 1, let action = UserAction(rawValue: operands[1]) else {
        let known = names.joined(separator: ", ")
        throw context.usageError("serve user needs to know what to do: one of \(known)")
      }
      let email = operands.dropFirst(2).first
      guard (email != nil) == action.takesEmail else {
        let words = action.takesEmail ? "needs an email" : "takes no email"
        throw context.usageError("serve user \(action.rawValue) \(words)")
      }
      self = .user(action, email: email)
    default:
      guard operands.count == 1 else {
        throw context.usageError("serve link does not take \(quoted(operands[1]))")
      }
      self = .link
    }
  }

  init?(line: String) {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    switch words.first {
    case "link" where words.count == 1: self = .link
    case "user":
      guard words.count > 1, let action = UserAction(rawValue: words[1]),
        (words.count == 3) == action.takesEmail
      else { return nil }
      self = .user(action, email: words.count == 3 ? words[2] : nil)
    default: return nil
    }
  }

  var line: String {
    switch self {
    case .link: "link"
    case .user(let action, let email):
      (["user", action.rawValue] + [email].compactMap(\.self)).joined(separator: " ")
    }
  }

  /// Performs the request.
  ///
  /// - Returns: The text to print; may be empty.
  /// - Throws: The error of the server.
  func perform(on server: DashboardServer, hasAccounts: Bool) async throws -> String {
    guard case .user(let action, let given) = self else { return try await server.makeLink() }
    guard hasAccounts else {
      throw ControlError(reason: "it has no accounts: start it with --team", isUsage: true)
    }
    let email = given ?? ""
    switch action {
    case .list: return try await server.accounts.users().map(\.row).joined(separator: "\n")
    case .invite: return try await server.invite()
    case .reset: return try await server.reset(email)
    case .disable: try await server.accounts.disable(email)
    case .enable: try await server.accounts.enable(email)
    case .remove: try await server.remove(email)
    }
    return ""
  }
}
