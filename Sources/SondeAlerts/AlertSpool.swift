import Glibc
package import SondeOutputs
import SondeStore
import SondeSystem

/// Undelivered alerts in order, in memory and on disk.
///
/// Each is a separate file, named by its number and written atomically.
package actor AlertSpool {
  /// The largest number of alerts; beyond it, the oldest are dropped.
  static let limit = 1000

  struct Alert {
    let number: Int
    let body: [UInt8]
    /// Whether it is on disk and survives this process.
    let isKept: Bool
  }

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

  /// Opens the spool of a receiver, with the alerts left by an earlier process.
  ///
  /// The `parent` directory has all spools and the key that hides their receivers.
  ///
  /// - Throws: ``OutputError`` if the directory or the key cannot be created.
  package init(in parent: String, for receiver: String, console: any AlertLog)
    async throws(OutputError)
  {
    executor = BlockingExecutor(label: "sonde.spool")
    self.console = console
    try makeFolders(parent)
    folder = try SpoolFolder(in: parent, name: Self.name(for: receiver, in: parent))
    loadAlerts()
  }

  /// The name of a receiver's directory, a hash since its URL may contain a key.
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

  /// The numbers of waiting alerts on disk, and in memory only.
  var counts: (kept: Int, unkept: Int) {
    let kept = alerts.count(where: \.isKept)
    return (kept, alerts.count - kept)
  }

  func append(_ body: [UInt8]) {
    lastNumber += 1
    let failure = folder.write(body, as: lastNumber)
    alerts.append(Alert(number: lastNumber, body: body, isKept: failure == nil))
    note(failure)
    dropOldest()
  }

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
