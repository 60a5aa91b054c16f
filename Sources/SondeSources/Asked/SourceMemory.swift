public import SondeStore

/// The results of sources in earlier runs, as far as the options permit their use.
public struct SourceMemory: Sendable {
  private let store: (any KeptTexts)?
  private let age: Duration?

  /// Creates a memory; texts from `age` on are too old, whatever their lifetime.
  public init(in store: (any KeptTexts)? = nil, youngerThan age: Duration? = nil) {
    (self.store, self.age) = (store, age)
  }

  /// Looks up unexpired texts; `scope` is the source and the settings on which its texts depend.
  public func texts(of keys: [[UInt8]], in scope: String) async -> [[UInt8]?] {
    guard let store else { return keys.map { _ in nil } }
    return await store.texts(of: keys, in: scope, youngerThan: age)
  }

  /// Stores texts in a scope; returns when they are on disk, or cannot be.
  public func keep(_ texts: [KeptText], in scope: String) async {
    if !texts.isEmpty { await store?.keep(texts, in: scope) }
  }
}
