/// One row of the ledger while it is being changed.
public struct LedgerRow: Sendable {
  /// What the row holds; empty where it is absent or was damaged.
  public var bytes: [UInt8]

  private let liveness: @Sendable (UInt64) -> Bool

  init(bytes: [UInt8], liveness: @escaping @Sendable (UInt64) -> Bool) {
    self.bytes = bytes
    self.liveness = liveness
  }

  /// Whether the process with this ``Store/holder`` is alive and has its store open.
  public func isAlive(_ holder: UInt64) -> Bool { liveness(holder) }
}
