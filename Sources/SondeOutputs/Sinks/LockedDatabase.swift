package import SondeSQLite
public import SondeSystem
import Synchronization

/// How to wait while another program has locked a database.
public struct LockedDatabase: Sendable {
  private let report: @Sendable (String) -> Void
  private let interruption: Interruption?
  private let notices: SharedNotices

  /// The reports so far, shared by all copies.
  private final class SharedNotices: Sendable {
    let state: Mutex<LockNotices>

    init(_ notices: LockNotices) { state = Mutex(notices) }
  }

  /// Creates a wait without a time limit.
  ///
  /// - Parameters:
  ///   - interruption: Ends the wait; with `nil` it lasts until the lock is released.
  ///   - pause: The shortest time between two reported waits for one database.
  ///   - report: Receives messages at the start and the end of a wait.
  public init(
    endedBy interruption: Interruption? = nil,
    pause: Duration = .zero,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.interruption, self.report) = (interruption, report)
    notices = SharedNotices(LockNotices(pause: pause))
  }

  /// Repeats a call, which itself waits briefly, as long as it fails because of a lock.
  ///
  /// Throws the error of a lock only if the wait was ended. `name` is the database's, for people.
  package func run<R>(_ name: String, _ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R
  {
    let start = Clocks.steady
    var isReported = false
    while true {
      do throws(SQLiteError) {
        let result = try body()
        if isReported {
          report(
            "\(name) is no longer locked, after \((Clocks.steady - start).components.seconds) s"
          )
        }
        return result
      } catch {
        guard error.kind == .busy, interruption?.isOver != true else { throw error }
        guard !isReported else { continue }
        isReported = notices.state.withLock { $0.admit(name, now: Clocks.steady) }
        if isReported { report("\(name) is locked by another program: waiting for it") }
      }
    }
  }
}

/// Limits the reports of waits for locks.
struct LockNotices {
  private let pause: Duration
  private var last: [String: Duration] = [:]

  /// Allows one report on each database in `pause`.
  init(pause: Duration) { self.pause = pause }

  /// Whether to report a wait for a database; `now` is the time since the machine was booted.
  mutating func admit(_ name: String, now: Duration) -> Bool {
    if let last = last[name], now - last < pause { return false }
    last[name] = now
    return true
  }
}
