import Glibc
import SondeSetup
import SondeAddresses
import SondeOptions
import SondeOutputs
import SondeRecords
import SondeRedis
import SondeReport
import SondeStore
import Synchronization

/// `sonde cache`: lists and maintains the cached answers.
struct CacheCommand {
  /// Answers read at a time.
  private static let pageSize = 4096

  private let context: Context
  /// `nil` without a cache file, which reading does not create.
  private let store: (any AnswerStore)?

  private struct UnusableError: Error {}

  static func run(_ context: Context) async throws -> ExitStatus {
    guard let action = context.operands.first.flatMap(CacheAction.init(rawValue:)) else {
      return .usage
    }
    let place = try place(context)
    let addresses = try addresses(for: action, context)
    try OutputChecks.check(context, against: [])
    if action == .stats, let format = format(context), !isJSON(format), !format.isForPerson {
      let name = format.name.uppercased()
      throw context.valueError("format", ": cache stats has no \(name), but json and table")
    }
    if action != .clear, context.options.isGiven("older-than") {
      throw context.valueError("older-than", " is for cache clear")
    }
    if action == .path { return await StandardOutput.write(place + "\n") }
    let warnings = StoreWarnings()
    let store = try await store(at: place, warnings, context)
    let command = CacheCommand(context: context, store: store)
    let watchesOutput = context.options.writesToStandardOutput
    let (status, signal) = await Signals.cancelling(watchesOutput: watchesOutput) {
      await command.run(action, addresses, warnings)
    }
    await store?.close()
    return signal ?? status
  }

  /// The path of the cache, or the shared server.
  private static func place(_ context: Context) throws(UsageError) -> String {
    if let shared = context.options.shared { return shared.description }
    guard let path = StoreSetup(context).cachePath else {
      throw context.setupError("neither XDG_CACHE_HOME nor HOME is set: name it with --cache")
    }
    return path
  }

  private static func store(
    at place: String,
    _ warnings: StoreWarnings,
    _ context: Context
  ) async throws -> (any AnswerStore)? {
    let stores = StoreSetup(context)
    if let shared = try await stores.shared(warn: { warnings.append($0) }) { return shared.answers }
    let isThere = unsafe access(place, F_OK) == 0 || errno != ENOENT
    return isThere ? stores.store(at: place) { warnings.append($0) } : nil
  }

  private static func format(_ context: Context) -> Format? {
    context.options.format
      ?? context.options.output.flatMap { OutputEnding($0).format }
  }

  private static func addresses(
    for action: CacheAction,
    _ context: Context
  ) throws(UsageError) -> [Address] {
    let operands = context.operands.dropFirst()
    guard action.takesAddresses else {
      if let stray = operands.first {
        throw context.usageError("cache \(action.rawValue) does not take \(quoted(stray))")
      }
      return []
    }
    if operands.isEmpty { throw context.usageError("cache \(action.rawValue) needs an address") }
    return try operands.map { operand throws(UsageError) in
      if let address = Address(operand) { return address }
      throw context.usageError("\(quoted(operand)) is not an address")
    }
  }

  private func run(
    _ action: CacheAction,
    _ addresses: [Address],
    _ warnings: StoreWarnings
  ) async -> ExitStatus {
    do {
      let status = try await run(action, addresses)
      warnings.all.forEach(context.console.note)
      return status
    } catch let error as OutputError where error.isClosedPipe || error.isAbandoned {
      return .success
    } catch is UnusableError {
      let reasons = warnings.all
      reasons.forEach(context.console.error)
      if reasons.isEmpty, !Task.isCancelled {
        context.console.error("another cache has come into its place")
      }
    } catch {
      context.console.error("\(error)")
    }
    return .inputOutput
  }

  private func run(_ action: CacheAction, _ addresses: [Address]) async throws -> ExitStatus {
    switch action {
    case .list: try await list()
    case .show: return try await show(addresses)
    case .delete: try await delete(addresses)
    case .clear: try await clear()
    case .stats: try await stats()
    case .path: break
    }
    return .success
  }

  /// Uses the store; `nil` if there is no file.
  private func use<Result>(
    _ body: (any AnswerStore) async -> sending Result?
  ) async throws(UnusableError) -> Result? {
    guard let store else { return nil }
    guard let result = await body(store) else { throw UnusableError() }
    return result
  }

  private func list() async throws {
    // Read before the output is truncated.
    var page = try await use { await $0.page(after: nil, limit: Self.pageSize) } ?? CachePage()
    var writer = RecordListWriter(try await OutputSetup(context).outputs(named: []).main)
    try await writer.write(page.block)
    while let next = page.next, !Task.isCancelled {
      page = try await use { await $0.page(after: next, limit: Self.pageSize) } ?? CachePage()
      try await writer.write(page.block)
    }
    try await writer.end()
  }

  private func show(_ addresses: [Address]) async throws -> ExitStatus {
    let page = try await use { await $0.entries(of: addresses) } ?? CachePage()
    let outputs = try await OutputSetup(context).outputs(named: [], cards: true)
    var writer = RecordListWriter(outputs.main)
    try await writer.write(page.block)
    try await writer.end()
    let found = Set(page.block.records.compactMap(\.address))
    let missing = addresses.filter { !found.contains($0) }
    for address in missing { context.console.error("\(address) is not in the cache") }
    return missing.isEmpty ? .success : .failed
  }

  private func delete(_ addresses: [Address]) async throws {
    let removed = try await use { await $0.delete(addresses) } ?? 0
    let all = count(Set(addresses).count, "address", "addresses")
    context.console.note("removed the answers of \(removed) of \(all)")
  }

  private func clear() async throws(UnusableError) {
    guard let age = context.options.olderThan else {
      if let store, await !store.clear() { throw UnusableError() }
      return
    }
    let removed = try await use { await $0.delete(olderThan: age) } ?? 0
    context.console.note("removed \(count(removed, "answer", "answers"))")
  }

  private func stats() async throws {
    let statistics = try await use { await $0.statistics() } ?? CacheStatistics()
    let isJSON = Self.isJSON(Self.format(context))
    let place = try await OutputSetup(context).outputs(named: []).main
    try await place.write(isJSON ? statistics.json : Array(statistics.text.utf8))
  }

  private static func isJSON(_ format: Format?) -> Bool { format == .json || format == .ndjson }
}

/// Collects the warnings of a store until it is known whether they are errors.
private final class StoreWarnings: Sendable {
  private let mutex = Mutex<[String]>([])

  var all: [String] { mutex.withLock { $0 } }

  func append(_ warning: String) { mutex.withLock { $0.append(warning) } }
}
