import SondeAddresses
import SondeNames
import SondeStore

/// The stored names that have not expired.
struct KeptNames: Sendable {
  private let memory: SourceMemory
  private let scope: String

  /// Creates a store, whose names depend on the resolver.
  ///
  /// - Parameters:
  ///   - servers: The resolver.
  ///   - memory: The store of names.
  init(of servers: [NameServer], in memory: SourceMemory) {
    self.memory = memory
    scope = "names \(servers.map(\.description).joined(separator: " "))"
  }

  /// The stored names of some addresses.
  ///
  /// - Parameters:
  ///   - addresses: The addresses.
  ///   - countsFailures: Whether failures count; otherwise they are ignored.
  /// - Returns: The known names by address.
  func names(
    of addresses: [Address],
    withFailures countsFailures: Bool = true
  ) async -> [Address: HostNames] {
    var known: [Address: HostNames] = [:]
    let texts = await memory.texts(of: addresses.map(\.keptKey), in: scope)
    for (address, text) in zip(addresses, texts) {
      guard let names = text.flatMap({ HostNames(kept: $0) }) else { continue }
      if countsFailures || names.status != .failed { known[address] = names }
    }
    return known
  }

  /// Creates a queue of names to store.
  func notes() -> KeptNotes { KeptNotes(memory, scope) }
}
