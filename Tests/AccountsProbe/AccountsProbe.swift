import SondeAccounts
import Glibc

/// Uses accounts from a process of its own until it is killed: makes links and opens sessions by them,
/// and tells the secret of each once it is there.
///
///     AccountsProbe PATH
@main
struct AccountsProbe {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else { return }
    let accounts = try AccountStore(path: CommandLine.arguments[1], membership: .alone)
    let here = ClientAddress(text: "127.0.0.1")
    while true {
      let link = try await accounts.makeOneTimeLink()
      say("link \(link.secret.text)")
      let session = try await accounts.openSession(by: link.secret, from: here)
      say("session \(session.secret.text)")
    }
  }

  private static func say(_ line: String) {
    let text = Array((line + "\n").utf8)
    _ = unsafe write(STDOUT_FILENO, text, text.count)
  }
}
