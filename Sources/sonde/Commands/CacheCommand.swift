import Addresses
import Glibc
import Records
import Scanner
import Store

/// What `sonde cache` can do.
enum CacheAction: String, CaseIterable, Sendable {
  case list, show, delete, clear, stats, path

  /// Whether it is about some addresses.
  var takesAddresses: Bool { self == .show || self == .delete }
}

/// `sonde cache`: what is kept from run to run.
struct CacheCommand {
  /// Answers that are read at a time.
  private static let pageSize = 4096

  private let context: Context
  private let store: Store

  static func run(_ context: Context) async throws -> ExitStatus {
    guard let action = context.operands.first.flatMap(CacheAction.init(rawValue:)) else {
      return .usage
    }
    guard let path = context.cachePath else {
      throw context.setupError("neither XDG_CACHE_HOME nor HOME is set: name it with --cache")
    }
    let addresses = try addresses(for: action, context)
    try context.checkOutputs(against: [])
    if action == .path { return await StandardOutput.write(path + "\n") }
    let store = context.store(at: path) { context.console.note($0) }
    let command = CacheCommand(context: context, store: store)
    // Looking makes no file.
    let isThere = unsafe access(path, F_OK) == 0
    let (status, signal) = await Signals.cancelling {
      await command.run(action, addresses, isThere: isThere)
    }
    return signal ?? status
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
    var addresses: [Address] = []
    for operand in operands {
      guard let address = Address(operand) else {
        throw context.usageError("\(quoted(operand)) is not an address")
      }
      addresses.append(address)
    }
    return addresses
  }

  private func run(
    _ action: CacheAction,
    _ addresses: [Address],
    isThere: Bool
  ) async -> ExitStatus {
    do {
      switch action {
      case .list: return try await list(isThere: isThere)
      case .show: return try await show(addresses, isThere: isThere)
      case .delete:
        guard let count = isThere ? await store.delete(addresses) : 0 else { return .inputOutput }
        context.console.note("removed the answers of \(count) of \(addresses.count) addresses")
      case .clear:
        if isThere, await !store.clear() { return .inputOutput }
      case .stats: return await stats(isThere: isThere)
      case .path: break
      }
      return .success
    } catch {
      context.console.error("\(error)")
      return .inputOutput
    }
  }

  private func list(isThere: Bool) async throws -> ExitStatus {
    var writer = RecordListWriter(try await context.outputs(for: []).main)
    var cursor: CacheCursor?
    while isThere, !Task.isCancelled {
      let page = await store.page(after: cursor, limit: Self.pageSize)
      try await writer.write(page.block)
      guard let next = page.next else { break }
      cursor = next
    }
    try await writer.end()
    return .success
  }

  private func show(_ addresses: [Address], isThere: Bool) async throws -> ExitStatus {
    let page = isThere ? await store.entries(of: addresses) : CachePage()
    var writer = RecordListWriter(try await context.outputs(for: [], cards: true).main)
    try await writer.write(page.block)
    try await writer.end()
    let found = Set(page.block.records.compactMap(\.address))
    let missing = addresses.filter { !found.contains($0) }
    for address in missing { context.console.error("\(address) is not in the cache") }
    return missing.isEmpty ? .success : .failed
  }

  private func stats(isThere: Bool) async -> ExitStatus {
    guard let statistics = isThere ? await store.statistics() : CacheStatistics() else {
      return .inputOutput
    }
    let rows = [
      ("answers", "\(statistics.answers)"), ("bytes", "\(statistics.bytes)"),
      ("oldest", statistics.oldest.map { Timestamp(seconds: $0).wholeSeconds } ?? "-"),
      ("newest", statistics.newest.map { Timestamp(seconds: $0).wholeSeconds } ?? "-"),
    ]
    let lines = rows.map { name, value in
      name + String(repeating: " ", count: 10 - name.count) + value + "\n"
    }
    return await StandardOutput.write(lines.joined())
  }
}
