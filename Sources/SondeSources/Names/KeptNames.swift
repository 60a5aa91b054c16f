import SondeAddresses
import SondeNames
import SondeStore

/// The stored names that have not expired.
struct KeptNames: Sendable {
  private let memory: SourceMemory
  private let scope: String

  /// Creates a store of the names or routes according to a resolver.
  init(_ kind: String, of servers: [NameServer], in memory: SourceMemory) {
    self.memory = memory
    scope = "\(kind) \(servers.map(\.description).joined(separator: " "))"
  }

  /// The known names by address; stored failures are ignored unless `countsFailures`.
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

  func notes() -> KeptNotes { KeptNotes(memory, scope) }
}
