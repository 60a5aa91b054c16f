import SondeSetup
import SondeAsking
import SondeOptions
import SondeRecords
import SondeReport
import SondeStore
import SondeSystem

/// `sonde quota`: shows and resets the quotas that runs share.
struct QuotaCommand {
  private let context: Context
  /// `nil` without a home directory; runs then share no quotas.
  private let ledger: (any QuotaLedger)?

  static func run(_ context: Context) async throws -> ExitStatus {
    guard let action = context.operands.first.flatMap(QuotaAction.init(rawValue:)) else {
      return .usage
    }
    let names = context.operands.dropFirst()
    let most = action == .reset ? 1 : 0
    if names.isEmpty, action == .reset { throw context.usageError("quota reset needs a name") }
    if let stray = names.dropFirst(most).first {
      throw context.usageError("quota \(action.rawValue) does not take \(quoted(stray))")
    }
    let ledger = try await StoreSetup(context).quotas()
    let command = QuotaCommand(context: context, ledger: ledger)
    let (result, signal) = await Signals.cancelling { await command.run(action, names.first) }
    await ledger?.close()
    if let signal { return signal }
    return try result.get()
  }

  private func run(_ action: QuotaAction, _ name: String?) async -> Result<ExitStatus, UsageError> {
    do throws(LedgerFault) {
      guard let name else { return .success(try await list()) }
      return try await reset(name)
    } catch {
      context.console.error(error.description)
      return .success(.inputOutput)
    }
  }

  // MARK: - list

  private func list() async throws(LedgerFault) -> ExitStatus {
    let windows = try await ledger.map(QuotaBook.init)?.windows() ?? []
    let format = context.options.quotaFormat ?? (context.writesToTerminal ? .table : .ndjson)
    switch format {
    case .table: return await StandardOutput.write(Self.table(windows))
    case .ndjson: return await StandardOutput.write(windows.map(Self.json).joined())
    }
  }

  /// A one-line object, without members for missing values.
  private static func json(_ window: QuotaBook.Window) -> String {
    var object = JSONObject()
    object.add("provider", window.provider)
    object.add("window", window.window)
    if let used = window.used { object.add("used", used) }
    if let left = window.left { object.add("left", left) }
    if let until = window.until { object.add("until", until.wholeSeconds) }
    object.add("why", window.why)
    return String(decoding: object.line, as: UTF8.self)
  }

  /// A table with a header; numbers are right-aligned.
  private static func table(_ windows: [QuotaBook.Window]) -> String {
    let rows = windows.map { window in
      [
        escapedForPerson(window.provider), window.window, window.used.map(String.init) ?? "",
        window.left.map(String.init) ?? "", window.until?.wholeSeconds ?? "", window.why,
      ]
    }
    let lines = [["provider", "window", "used", "left", "until", "why"]] + rows
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { cells in
      let padded = cells.indices.map { column in
        let blanks = String(repeating: " ", count: widths[column] - cells[column].count)
        return 2...3 ~= column ? blanks + cells[column] : cells[column] + blanks
      }
      let line = padded.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
    }.joined()
  }

  // MARK: - reset

  private func reset(_ name: String) async throws(LedgerFault) -> Result<ExitStatus, UsageError> {
    let known = QuotaBook.names
    let forgotten: Int?
    if let ledger {
      forgotten = try await QuotaBook(ledger).reset(name)
    } else {
      forgotten = known.contains(name) ? 0 : nil
    }
    guard let forgotten else {
      return .failure(
        context.usageError("there is no quota of \(quoted(name)): expected \(alternatives(known))")
      )
    }
    let windows = forgotten == 0 ? "no window" : count(forgotten, "window", "windows")
    context.console.note("forgot \(windows) of \(escapedForPerson(name))")
    return .success(.success)
  }
}
