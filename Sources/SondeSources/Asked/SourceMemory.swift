public import SondeStore

/// The results of sources in earlier runs, as far as the options permit their use.
public struct SourceMemory: Sendable {
  private let store: (any KeptTexts)?
  private let age: Duration?

  /// Creates a memory.
  ///
  /// - Parameters:
  ///   - store: The store; `nil` for none.
  ///   - age: The age from which a text is too old, whatever its lifetime; `nil` for none.
  public init(in store: (any KeptTexts)? = nil, youngerThan age: Duration? = nil) {
    (self.store, self.age) = (store, age)
  }

  /// Looks up stored texts that have not expired.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - scope: The source, and the settings on which its texts depend.
  /// - Returns: A text or `nil` for each key.
  public func texts(of keys: [[UInt8]], in scope: String) async -> [[UInt8]?] {
    guard let store else { return keys.map { _ in nil } }
    return await store.texts(of: keys, in: scope, youngerThan: age)
  }

  /// Stores texts; returns when they are on disk, or cannot be.
  ///
  /// - Parameters:
  ///   - texts: The texts.
  ///   - scope: The source, and the settings on which its texts depend.
  public func keep(_ texts: [KeptText], in scope: String) async {
    if !texts.isEmpty { await store?.keep(texts, in: scope) }
  }
}
