package import SondeAddresses
package import SondeNames
import SondeStore

/// The names that are kept from run to run, as long as they hold.
package struct KeptNames: Sendable {
  private let memory: SourceMemory
  private let scope: String

  /// What is kept depends on who was asked.
  ///
  /// - Parameters:
  ///   - servers: Who is asked.
  ///   - memory: Where names are kept.
  package init(of servers: [NameServer], in memory: SourceMemory) {
    self.memory = memory
    scope = "names \(servers.map(\.description).joined(separator: " "))"
  }

  /// What is kept of some addresses.
  ///
  /// - Parameters:
  ///   - addresses: The addresses.
  ///   - countsFailures: Whether failures count; otherwise they are as good as nothing.
  /// - Returns: What is known of those of which anything is.
  package func names(
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

  /// Keeps what is noted in it.
  func notes() -> KeptNotes { KeptNotes(memory, scope) }
}
