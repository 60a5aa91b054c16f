/// This user's directories by the XDG Base Directory Specification; each is `nil` without a home.
///
/// Relative paths in its variables are ignored, as the specification requires.
public struct UserFolders: Sendable {
  private let environment: [String: String]

  /// Reads the variables of an environment.
  public init(environment: [String: String]) { self.environment = environment }

  /// The directory for data that can be created again: cached answers and compiled databases.
  public var cache: String? { folder(named: "XDG_CACHE_HOME", inHome: ".cache") }

  /// The directory for data that must outlive a run: quotas and alerts.
  public var state: String? { folder(named: "XDG_STATE_HOME", inHome: ".local/state") }

  private func folder(named variable: String, inHome usual: String) -> String? {
    if let base = environment[variable], base.hasPrefix("/") { return base / "sonde" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return home / usual / "sonde"
  }
}

extension String {
  /// Joins a directory and a name with one slash.
  fileprivate static func / (folder: String, name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }
}
