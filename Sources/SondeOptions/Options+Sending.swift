import SondeProviders
import SondeRecords

extension Options {
  /// Whether the command may send anything to other machines: addresses, names or network probes.
  func maySend(_ command: CommandName, _ operands: [String]) -> Bool {
    switch command {
    case .me, .status, .watch: true
    case .scan, .lookup, .annotate, .upgrade, .summary: asksOthers
    case .serve: operands.isEmpty && (asksOthers || webhook != nil)
    case .tables: operands.first == TablesAction.update.rawValue
    default: shared != nil
    }
  }

  /// Whether any other machine may be asked about addresses.
  private var asksOthers: Bool {
    providers != [.local] || shared != nil || with.contains { !$0.source.awaited.isEmpty }
  }
}
