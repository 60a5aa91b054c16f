import SondeProviders
import SondeRecords

extension Options {
  /// Whether anything may leave this machine, as far as the command line tells: addresses, names, or
  /// a try of the network.
  ///
  /// - Parameters:
  ///   - command: The command that has these options.
  ///   - operands: What it is given.
  /// - Returns: Whether it may.
  func maySend(_ command: CommandName, _ operands: [String]) -> Bool {
    switch command {
    case .me, .status, .watch: true
    case .scan, .lookup, .annotate, .upgrade, .summary: asksOthers
    case .serve: operands.isEmpty && (asksOthers || webhook != nil)
    case .tables: operands.first == TablesAction.update.rawValue
    default: shared != nil
    }
  }

  /// Whether anybody else may be asked about addresses.
  private var asksOthers: Bool {
    providers != [.local] || shared != nil || with.contains { !$0.source.awaited.isEmpty }
  }
}
