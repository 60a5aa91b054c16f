import SondeCatalog
import SondeDatabases
import SondeLogs
import SondeOptions
import SondeProviders
import SondeRecords
import SondeSources
package import SondeSystem

/// The system resources that a command may need at a time, by its options.
///
/// The estimates are generous: Dispatch, for one, ends a process that has no descriptor left.
package struct Needs: Equatable {
  /// Files and sockets, besides the standard streams.
  package var descriptors = 16
  /// Threads, besides the first.
  package var threads = 4
  /// Address space in bytes, besides the stacks of threads.
  package var room = 128 << 20
  /// Written memory in bytes, the minimum of a short run.
  package var memory = 24 << 20

  /// Checks that the system provides all of it.
  package func check() throws(Surroundings) {
    try Surroundings.check(descriptors: descriptors, room: room, threads: threads, memory: memory)
  }

  private mutating func add(descriptors: Int, threads: Int = 0, room: Int = 0) {
    self.descriptors += descriptors
    self.threads += threads
    // A sparse file can have any length.
    self.room = self.room.addingSaturated(room)
  }
}

extension Needs {
  /// Estimates the needs of a command; `size` returns that of a file in bytes, 0 without a file.
  package init(of context: Context, size: (String) -> Int) {
    let (options, command) = (context.options, context.command)
    let processors = Processors.available
    threads += 2 * processors
    guard !command.isAboutItself else { return }
    addFiles(of: options, size)
    // Runs of sorted records, of both files.
    if command == .diff { add(descriptors: 160, threads: 2, room: 256 << 20) }
    guard ![.check, .extract, .diff].contains(command) else { return }
    // The cache and the ledger, each with its log and waiting threads.
    add(descriptors: 8, threads: 8)
    if command == .annotate { add(descriptors: 0, room: 64 << 20) }
    addDatabases(of: options, context.listFolder?.databases ?? [], size)
    if options.shared != nil { add(descriptors: 8, threads: 2) }
    if command.mayAsk {
      for provider in options.providers where provider.service != nil { addClient(of: options) }
      for named in options.with where named.source.isAsked {
        addSource(watching: named.source.watchedPaths, options)
      }
    }
    switch command {
    case .status, .watch, .me, .tables: addClient(of: options)
    case .guard: add(descriptors: 64, threads: 8)
    case .serve: add(descriptors: 64, threads: 16 + 2 * options.follow.count, room: 64 << 20)
    default: break
    }
    for hasClient in [
      options.portalURL != nil, options.heartbeat != nil, !options.webhooks.isEmpty,
    ] where hasClient {
      addClient(of: options)
    }
    addEndpoints(of: options)
    // A queue's thread, its lock, and a file that is written while another is read.
    add(descriptors: 4 * options.webhooks.count, threads: options.webhooks.count)
    if options.metrics != nil { add(descriptors: 8, threads: 2) }
  }

  /// An HTTP client with its open connections, and the monitor of its path.
  private mutating func addClient(of options: Options) {
    add(descriptors: 4 + 2 * options.concurrency, threads: 2)
    // Sockets of netlink and of a connection test, and those that libpcap opens.
    add(descriptors: 12, threads: 3)
  }

  /// The monitors of further endpoints, and the probes of each that run at once.
  private mutating func addEndpoints(of options: Options) {
    for _ in options.endpoints.dropFirst() { add(descriptors: 12, threads: 3) }
    guard options.degraded != nil else { return }
    for _ in 0..<max(1, options.endpoints.count) { add(descriptors: 32, threads: 8) }
  }

  private mutating func addSource(watching paths: Int, _ options: Options) {
    addClient(of: options)
    guard paths > 1 else { return }
    // Each host has a path of its own, which libpcap examines in turn.
    add(descriptors: 6 * paths, threads: 2 * paths)
  }

  /// Outputs with a journal or temporary files, and the user's tables.
  private mutating func addFiles(of options: Options, _ size: (String) -> Int) {
    let outputs = [options.output, options.rejects, options.missing, options.events, options.html]
    for path in outputs.compactMap(\.self) where path != "-" {
      add(descriptors: OutputEnding(path).format?.isDatabase == true ? 6 : 2)
    }
    for source in options.with where !source.path.isEmpty {
      add(descriptors: 1, room: size(source.path).multipliedSaturated(by: 4))
    }
  }

  /// Local databases, which are mapped, and mapped again once compiled.
  private mutating func addDatabases(
    of options: Options,
    _ fetched: [String],
    _ size: (String) -> Int
  ) {
    guard options.providers.contains(.local) else { return }
    let paths =
      options.databases.isEmpty
      ? fetched + LocalDatabases.defaultPaths.prefix(1) : options.databases
    let count = options.asOf == .line ? DatabaseArchive.usualOpen : paths.count
    for size in paths.map(size).sorted(by: >).prefix(count) {
      add(descriptors: 2, room: size.multipliedSaturated(by: 2))
    }
  }
}

extension CommandName {
  /// Whether the command may look up addresses.
  fileprivate var mayAsk: Bool {
    [.scan, .lookup, .me, .annotate, .upgrade, .compare, .summary, .block, .guard, .serve].contains(
      self
    )
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
