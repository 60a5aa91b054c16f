public import SondeLists
public import SondeProviders

/// The URLs for questions about owners.
public struct OwnerPlaces: Sendable {
  /// A mirror of the registries, whose hosts are the first part of its paths.
  public var mirror: BaseURL?

  /// A mirror of IANA's files, in the same form.
  public var directories: BaseURL?

  /// The directory of IANA's files; `nil` keeps them for the run only.
  public var folder: ListFolder?

  /// The limit of requests to a registry.
  var allowance: @Sendable (Registry) -> Allowance = { $0.allowance }

  /// Creates the default, without mirrors.
  public init(folder: ListFolder?) { self.folder = folder }
}
