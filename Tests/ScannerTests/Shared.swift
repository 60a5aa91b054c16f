import Synchronization

/// A value that several tasks of a test change.
final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) { mutex = Mutex(value) }

  /// The value as it is now.
  var value: Value { mutex.withLock { $0 } }

  func change(_ body: (inout Value) -> Void) { mutex.withLock { body(&$0) } }
}
