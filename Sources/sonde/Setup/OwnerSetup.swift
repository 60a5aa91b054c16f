import Providers
import Scanner
import Transfer

extension AwaitedSetup {
  /// Makes the source that asks the registries whose networks addresses are in.
  ///
  /// - Throws: ``UsageError`` where they cannot be asked as it is set, and what a client throws.
  func owner() throws -> any AwaitedSource {
    guard let folder = context.listFolder else {
      throw context.setupError(
        "neither XDG_STATE_HOME nor HOME is set: there is no place for IANA's list of registries"
      )
    }
    var places = OwnerPlaces(folder: folder)
    places.mirror = try mirror(context.options.registryURL, setBy: "rdap-url")
    places.directories = try mirror(context.options.directoryURL, setBy: "rdap-bootstrap-url")
    return try OwnerSource(at: places, reuse: context.options.ownerReuse, surroundings)
  }

  /// A place that is asked instead.
  private func mirror(_ text: String?, setBy setting: String) throws -> BaseURL? {
    guard let text else { return nil }
    let base = BaseURL(text)
    // The URL may hold a password, and is not shown.
    guard try base.endpoint != nil else {
      throw context.setupError("\(Setting.variable(of: setting)) is not an http:// or https:// URL")
    }
    return base
  }
}
