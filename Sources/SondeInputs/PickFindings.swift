import Synchronization

/// Whether any line of a run has the name of `--pick`, and else which names the first has.
package final class PickFindings: Sendable {
  private let found = Atomic(false)
  private let hasNames = Atomic(false)
  private let names = Mutex<[String]>([])

  package init() {}

  /// Whether a line has the name.
  package var hasName: Bool { found.load(ordering: .relaxed) }

  /// The names of the first line that has any.
  package var firstNames: [String] { names.withLock { $0 } }

  package func foundName() { found.store(true, ordering: .relaxed) }

  /// Whether the names of a line without the name matter: until any are known.
  package var wantsNames: Bool { !hasName && !hasNames.load(ordering: .relaxed) }

  package func note(_ names: [String]) {
    guard !names.isEmpty else { return }
    self.names.withLock { if $0.isEmpty { $0 = names } }
    hasNames.store(true, ordering: .relaxed)
  }
}
