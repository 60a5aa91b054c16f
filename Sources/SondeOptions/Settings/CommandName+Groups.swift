/// Groups of commands that share settings.
extension [CommandName] {
  static let every: [CommandName] = CommandName.allCases
  static let working: [CommandName] = every.filter { !$0.isAboutItself }
  static let asking: [CommandName] = [
    .scan, .lookup, .me, .annotate, .compare, .summary, .block, .guard, .serve,
  ]
  /// The commands that look up many addresses, and ask sources of additional columns.
  static let askingMany: [CommandName] = [
    .scan, .lookup, .annotate, .upgrade, .summary, .block, .guard, .serve,
  ]
  /// The commands that look up addresses as of an earlier time.
  static let dating: [CommandName] = [.scan, .lookup, .annotate, .summary, .block]
  /// The commands that send many requests.
  static let pacing: [CommandName] = askingMany + [.compare]
  static let reading: [CommandName] = [.scan, .check, .plan, .compare]
  /// The commands that use or watch the path to a provider.
  static let heading: [CommandName] = asking + [.upgrade, .plan, .watch, .status]
  static let watching: [CommandName] = [.watch, .status]
  /// The commands that count hits in files.
  static let summing: [CommandName] = [.summary, .block]
  /// The commands that count hits of a time.
  static let counting: [CommandName] = summing + [.guard]
  /// The commands that report a time.
  static let reporting: [CommandName] = counting + [.outages]
  static let recording: [CommandName] = [.scan, .lookup, .me, .check, .cache]
  /// The commands whose record columns can be chosen.
  static let shaping: [CommandName] = recording + [.upgrade]
  /// The commands whose results may be shared without addresses.
  static let anonymizing: [CommandName] = [.scan, .check, .extract, .annotate, .summary]
  static let serving: [CommandName] = [.serve]
}
