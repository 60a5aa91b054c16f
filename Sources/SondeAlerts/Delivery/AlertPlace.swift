import SondeStore
package import SondeSystem

/// Where the queue of a URL lies.
package struct AlertPlace: Sendable {
  let folder: AlertFolder
  let legacy: LegacySpools

  /// The queue of a URL in the directory of the state; its name is a hash, for the URL may have a
  /// key.
  ///
  /// - Throws: ``SystemError`` if there is no key for the hash and none can be written.
  package init(in state: String, of url: String) throws(SystemError) {
    if let failure = makePrivateFolders(state) { throw SystemError(failure.code) }
    let key = try Ledger.keyFile(in: state).load()
    let name: @Sendable (String) -> String = { text in
      key.hash(Array(text.utf8)).prefix(8)
        .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    folder = AlertFolder(path: "\(state)/alerts/\(name(url))")
    legacy = LegacySpools(in: state) { name(url + "\n" + $0) }
  }
}
