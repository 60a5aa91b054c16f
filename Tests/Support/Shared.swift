import Synchronization

/// A value that several tasks of a test change.
public final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  /// Begins with a value.
  public init(_ value: Value) { mutex = Mutex(value) }

  /// The value as it is now.
  public var value: Value { mutex.withLock { $0 } }

  /// Changes the value while nobody else does.
  public func change(_ body: (inout Value) -> Void) { mutex.withLock { body(&$0) } }
}

extension Shared where Value: RangeReplaceableCollection {
  /// Adds to the end of a list.
  public func append(_ element: Value.Element) where Value.Element: Sendable {
    change { $0.append(element) }
  }
}
