import Glibc
package import SondeOutputs
import SondeStore
import SondeSystem

/// Alerts not yet delivered, in order, in memory and on disk.
///
/// Each is a separate file, named by its number, and is there whole or not at all.
package actor AlertSpool {
  /// The most that are kept; beyond it the oldest are lost.
  static let limit = 1000

  /// An alert that waits.
  struct Alert {
    let number: Int
    let body: [UInt8]
    /// Whether it outlives this process.
    let isKept: Bool
  }

  /// Where they are kept.
  nonisolated var path: String { folder.path }

  private let executor: BlockingExecutor
  private let folder: SpoolFolder
  private let console: any AlertLog
  private var alerts: [Alert] = []
  private var lastNumber = 0
  private var isFailing = false
  private var isFull = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Opens the spool of a receiver, with the alerts that an earlier process has left.
  ///
  /// - Parameters:
  ///   - parent: The folder of all spools, and of the key that hides their receivers.
  ///   - receiver: What tells this spool's receiver from others.
  ///   - console: Where failures of the disk are told.
  /// - Throws: ``OutputError`` when there can be no folder or key.
  package init(in parent: String, for receiver: String, console: any AlertLog)
    async throws(OutputError)
  {
    executor = BlockingExecutor(label: "sonde.spool")
    self.console = console
    try makeFolders(parent)
    folder = try SpoolFolder(in: parent, name: Self.name(for: receiver, in: parent))
    loadAlerts()
  }

  /// The name of a receiver's folder; its URL may hold a key, which no file name may tell.
  private static func name(
    for receiver: String,
    in parent: String
  ) throws(OutputError) -> String {
    let file = Ledger.keyFile(in: parent)
    do throws(SystemError) {
      let hash = try file.load().hash(Array(receiver.utf8)).prefix(8)
      let digits = hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      return "webhook-" + digits.joined()
    } catch {
      throw OutputError(name: file.path, code: error.code)
    }
  }

  /// The alert to deliver next.
  var first: Alert? { alerts.first }

  /// How many wait on disk, and how many in memory alone.
  var counts: (kept: Int, unkept: Int) {
    let kept = alerts.count(where: \.isKept)
    return (kept, alerts.count - kept)
  }

  /// Adds an alert, and returns once it is on disk.
  func append(_ body: [UInt8]) {
    lastNumber += 1
    let failure = folder.write(body, as: lastNumber)
    alerts.append(Alert(number: lastNumber, body: body, isKept: failure == nil))
    note(failure)
    dropOldest()
  }

  /// Removes an alert that was delivered.
  func remove(_ number: Int) {
    isFull = false
    drop(number)
  }

  private func drop(_ number: Int) {
    alerts.removeAll { $0.number == number }
    folder.remove(number)
  }

  private func loadAlerts() {
    folder.adoptAbandoned()
    for number in folder.numbers() {
      lastNumber = number
      guard let body = folder.read(number) else { continue }
      alerts.append(Alert(number: number, body: body, isKept: true))
    }
    dropOldest()
  }

  private func dropOldest() {
    while alerts.count > Self.limit, let oldest = alerts.first {
      drop(oldest.number)
      if !isFull { console.error("--webhook: \(Self.limit) alerts wait; the oldest are dropped") }
      isFull = true
    }
  }

  private func note(_ failure: OutputError?) {
    if let failure, !isFailing {
      console.error("--webhook: \(failure); alerts are kept in memory only")
    }
    isFailing = failure != nil
  }
}
