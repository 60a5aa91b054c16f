public import SondeLists
public import SondeProviders

/// Who is asked where about the owners of addresses.
public struct OwnerPlaces: Sendable {
  /// Where the registries are asked instead; each one's host becomes the first part of the path.
  public var mirror: BaseURL?

  /// Where IANA's files come from instead, in the same manner.
  public var directories: BaseURL?

  /// Where IANA's files are kept; `nil` keeps them for the run alone.
  public var folder: ListFolder?

  /// How much a registry may be asked.
  package var allowance: @Sendable (Registry) -> Allowance = { $0.allowance }

  /// Describes where everybody is asked at his own place.
  ///
  /// - Parameter folder: Where IANA's files are kept; `nil` keeps them for the run alone.
  public init(folder: ListFolder?) { self.folder = folder }
}
