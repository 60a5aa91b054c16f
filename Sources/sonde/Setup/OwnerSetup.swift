import SondeAsking
import SondeOptions
import SondeProviders
import SondeSources
import SondeTransfer

extension AwaitedSetup {
  /// Makes the source that asks the registries whose networks addresses are in.
  ///
  /// - Throws: ``UsageError`` where they cannot be asked as it is set, and what a client throws.
  func owner() throws -> any AwaitedSource {
    try OwnerSource(
      at: context.ownerPlaces(),
      reuse: context.options.ownerReuse,
      surroundings
    )
  }
}

extension Context {
  /// Who is asked where about owners.
  ///
  /// - Throws: ``UsageError`` where they cannot be asked as it is set.
  func ownerPlaces() throws -> OwnerPlaces {
    var places = OwnerPlaces(folder: listFolder)
    places.mirror = try mirror(options.registryURL, setBy: "rdap-url")
    places.directories = try mirror(options.directoryURL, setBy: "rdap-bootstrap-url")
    return places
  }

  /// A place that is asked instead.
  private func mirror(_ text: String?, setBy setting: String) throws -> BaseURL? {
    guard let text else { return nil }
    let base = BaseURL(text)
    // The URL may hold a password, and is not shown.
    guard try base.endpoint != nil else {
      throw setupError("\(Setting.variable(of: setting)) is not an http:// or https:// URL")
    }
    return base
  }
}
