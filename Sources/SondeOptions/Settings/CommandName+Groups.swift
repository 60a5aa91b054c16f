/// The commands that share settings.
extension [CommandName] {
  static let every: [CommandName] = CommandName.allCases
  static let working: [CommandName] = every.filter { !$0.isAboutItself }
  static let asking: [CommandName] = [.scan, .lookup, .me, .annotate, .summary, .serve]
  /// The commands that ask about many addresses.
  static let askingMany: [CommandName] = [.scan, .lookup, .annotate, .upgrade, .summary, .serve]
  static let reading: [CommandName] = [.scan, .check, .plan]
  /// Those in which sources of columns are asked.
  static let awaiting: [CommandName] = [.scan, .lookup, .annotate, .upgrade, .serve]
  /// The commands that use the path to a provider, or watch it.
  static let heading: [CommandName] = asking + [.upgrade, .plan, .watch, .status]
  static let watching: [CommandName] = [.watch, .status]
  static let summing: [CommandName] = [.summary]
  static let recording: [CommandName] = [.scan, .lookup, .me, .check, .cache]
  /// The commands that choose the columns of records.
  static let shaping: [CommandName] = recording + [.upgrade]
  static let serving: [CommandName] = [.serve]
}
