import SondeDatabases
import SondeLogs
import SondeOptions
import SondeProviders
import SondeRecords
import SondeSources
import SondeSystem

/// What a command may need of the system at a time, by its options.
///
/// Counted generously: what is not there when it is needed ends the process, as Dispatch does without
/// a descriptor.
struct Needs: Equatable {
  /// Files and sockets, beside the standard streams.
  var descriptors = 16
  /// Threads, beside the first.
  var threads = 4
  /// Address space, beside the stacks of threads, in bytes.
  var room = 128 << 20
  /// Memory that is written to, in bytes: what even a short run takes.
  var memory = 24 << 20

  private mutating func add(descriptors: Int, threads: Int = 0, room: Int = 0) {
    self.descriptors += descriptors
    self.threads += threads
    // A sparse file may be as long as a number can say.
    self.room = self.room.addingSaturated(room)
  }
}

extension Needs {
  /// What watches one path: sockets of netlink and of a try to connect, and those that libpcap opens
  /// and closes again.
  private static let monitor = (descriptors: 12, threads: 3)

  /// Counts what a command needs.
  ///
  /// - Parameters:
  ///   - context: The options.
  ///   - size: The bytes of a file; 0 where there is none.
  init(of context: Context, size: (String) -> Int) {
    let (options, command) = (context.options, context.command)
    let processors = Processors.available
    threads += 2 * processors
    guard !command.isAboutItself else { return }
    addFiles(of: options, size)
    guard ![.check, .extract].contains(command) else { return }
    // The cache and the ledger, each with its log, and what waits for them.
    add(descriptors: 8, threads: 8)
    if command == .annotate { add(descriptors: 0, room: 64 << 20) }
    addDatabases(of: options, size)
    if options.shared != nil { add(descriptors: 8, threads: 2) }
    if command.mayAsk {
      for provider in options.providers where provider.service != nil { addClient(of: options) }
      for source in context.asked { addSource(source, options) }
    }
    switch command {
    case .status, .watch, .me, .tables: addClient(of: options)
    case .serve: add(descriptors: 64, threads: 16, room: 64 << 20)
    default: break
    }
    if options.portalURL != nil || options.webhook != nil { addClient(of: options) }
    if options.metrics != nil { add(descriptors: 8, threads: 2) }
  }

  /// A client for HTTP, whose connections are kept, and the path to where it asks.
  private mutating func addClient(of options: Options) {
    add(descriptors: 4 + 2 * options.concurrency, threads: 2)
    add(descriptors: Self.monitor.descriptors, threads: Self.monitor.threads)
  }

  /// A source of columns that is asked.
  private mutating func addSource(_ source: AskedSource, _ options: Options) {
    addClient(of: options)
    guard source.paths > 1 else { return }
    // Each host has a path of its own, which libpcap looks at in turn.
    add(descriptors: 6 * source.paths, threads: 2 * source.paths)
  }

  /// Outputs, with a journal or what is written beside them, and tables of one's own.
  private mutating func addFiles(of options: Options, _ size: (String) -> Int) {
    let outputs = [options.output, options.rejects, options.missing, options.events, options.html]
    for path in outputs.compactMap(\.self) where path != "-" {
      add(descriptors: OutputEnding(path).format?.isDatabase == true ? 6 : 2)
    }
    for source in options.with where !source.path.isEmpty {
      add(descriptors: 1, room: size(source.path).multipliedSaturated(by: 4))
    }
  }

  /// Local databases, which are mapped, and once they are compiled once more.
  private mutating func addDatabases(of options: Options, _ size: (String) -> Int) {
    guard options.providers.contains(.local) else { return }
    let paths =
      options.databases.isEmpty ? Array(LocalDatabases.defaultPaths.prefix(1)) : options.databases
    for path in paths { add(descriptors: 2, room: size(path).multipliedSaturated(by: 2)) }
  }
}

extension CommandName {
  /// Whether it may ask about addresses.
  fileprivate var mayAsk: Bool {
    [.scan, .lookup, .me, .annotate, .upgrade, .summary, .serve].contains(self)
  }
}

extension Int {
  fileprivate func addingSaturated(_ other: Int) -> Int {
    let (sum, isBeyond) = addingReportingOverflow(other)
    return isBeyond ? .max : sum
  }

  fileprivate func multipliedSaturated(by other: Int) -> Int {
    let (product, isBeyond) = multipliedReportingOverflow(by: other)
    return isBeyond ? .max : product
  }
}
