import TestSupport

extension ProbeProcess {
  /// Starts a process that uses a store, see Tests/StoreProbe.
  convenience init(_ arguments: String...) throws {
    try self.init("StoreProbe", arguments: arguments)
  }
}
