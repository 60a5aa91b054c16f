import Glibc
import Scanner
import Store
import System

/// Alerts not yet delivered, in order, in memory and on disk.
///
/// Each is a file of its own, named by its number, and there whole or not at all.
actor AlertSpool {
  /// The most that are kept; of more, the oldest are lost.
  static let limit = 1000

  /// An alert that waits.
  struct Alert {
    let number: Int
    let body: [UInt8]
  }

  private let executor: BlockingExecutor
  private let folder: SpoolFolder
  private let console: Console
  private var alerts: [Alert] = []
  private var lastNumber = 0
  private var isFailing = false
  private var isFull = false

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Where spools lie; `nil` without a home.
  ///
  /// A relative `XDG_STATE_HOME` is ignored, as the XDG Base Directory Specification asks.
  static func folder(in environment: [String: String]) -> String? {
    if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return base + "/sonde" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return home + "/.local/state/sonde"
  }

  /// Opens the spool of a receiver, with what an earlier process has left.
  ///
  /// - Parameters:
  ///   - parent: The folder of all spools.
  ///   - receiver: What tells this spool's receiver from others.
  ///   - console: Where failures of the disk are told.
  /// - Throws: `OutputFailure` when there is no folder to be had.
  init(in parent: String, for receiver: String, console: Console) async throws(OutputFailure) {
    executor = BlockingExecutor(label: "sonde.spool")
    self.console = console
    folder = try SpoolFolder(in: parent, name: "webhook-" + hash(receiver))
    takeUp()
  }

  /// The alert to deliver next.
  var first: Alert? { alerts.first }

  /// Adds an alert, and returns once it is on disk.
  func append(_ body: [UInt8]) {
    lastNumber += 1
    alerts.append(Alert(number: lastNumber, body: body))
    note(folder.write(body, as: lastNumber))
    dropOldest()
  }

  /// Takes out an alert that was delivered.
  func remove(_ number: Int) {
    isFull = false
    drop(number)
  }

  private func drop(_ number: Int) {
    alerts.removeAll { $0.number == number }
    folder.remove(number)
  }

  private func takeUp() {
    for number in folder.numbers() {
      lastNumber = max(lastNumber, number)
      if let body = folder.read(number) { alerts.append(Alert(number: number, body: body)) }
    }
    // Those that processes at the same time have left come after our own.
    for body in folder.takeFromAbandoned() { append(body) }
    dropOldest()
  }

  private func dropOldest() {
    while alerts.count > Self.limit, let oldest = alerts.first {
      drop(oldest.number)
      if !isFull { console.error("--webhook: \(Self.limit) alerts wait; the oldest are dropped") }
      isFull = true
    }
  }

  private func note(_ failure: OutputFailure?) {
    if let failure, !isFailing {
      console.error("--webhook: \(failure); alerts are kept in memory only")
    }
    isFailing = failure != nil
  }
}

/// Sixteen digits that stand for a text; it may hold a key, which no file name should show.
///
/// FNV-1a with 64 bits (draft-eastlake-fnv).
private func hash(_ text: String) -> String {
  let value = text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { hash, byte in
    (hash ^ UInt64(byte)) &* 0x100_0000_01b3
  }
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
