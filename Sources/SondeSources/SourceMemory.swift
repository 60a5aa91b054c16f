public import SondeStore

/// What sources have found in earlier runs, as far as the options let it be used.
public struct SourceMemory: Sendable {
  private let store: (any KeptTexts)?
  private let age: Duration?

  /// Makes a memory.
  ///
  /// - Parameters:
  ///   - store: Where it lies; `nil` keeps nothing.
  ///   - age: The age at which anything is too old, however long it holds; `nil` for none.
  public init(in store: (any KeptTexts)? = nil, youngerThan age: Duration? = nil) {
    (self.store, self.age) = (store, age)
  }

  /// Looks up what is kept and still holds.
  ///
  /// - Parameters:
  ///   - keys: The names of what is looked for.
  ///   - scope: Who keeps it, and what it depends on besides the key.
  /// - Returns: For each key what is kept of it; `nil` for nothing.
  public func texts(of keys: [[UInt8]], in scope: String) async -> [[UInt8]?] {
    guard let store else { return keys.map { _ in nil } }
    return await store.texts(of: keys, in: scope, youngerThan: age)
  }

  /// Keeps what was found; returns when it is on the disk, or cannot be.
  ///
  /// - Parameters:
  ///   - texts: What is kept.
  ///   - scope: Who keeps it, and what it depends on besides the key.
  public func keep(_ texts: [KeptText], in scope: String) async {
    if !texts.isEmpty { await store?.keep(texts, in: scope) }
  }
}
