/// Where this user's files lie, by the XDG Base Directory Specification; each `nil` without a home.
///
/// A relative path in a variable of that specification is ignored, as it asks.
public struct UserFolders: Sendable {
  private let environment: [String: String]

  /// Reads the variables of an environment.
  public init(environment: [String: String]) { self.environment = environment }

  /// Where answers and the tables of databases are kept: what can be made again.
  public var cache: String? { folder(named: "XDG_CACHE_HOME", inHome: ".cache") }

  /// Where quotas and alerts are kept: what must outlive this run.
  public var state: String? { folder(named: "XDG_STATE_HOME", inHome: ".local/state") }

  private func folder(named variable: String, inHome usual: String) -> String? {
    if let base = environment[variable], base.hasPrefix("/") { return base / "sonde" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return home / usual / "sonde"
  }
}

extension String {
  /// A name in a folder, with one slash between them.
  fileprivate static func / (folder: String, name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }
}
