import Glibc
import SondeSQLite
import SondeSystem

/// Opens a database on demand, and handles its errors.
package final class DatabaseKeeper {
  /// The purpose of a call: if the file is not writable, it may still be readable.
  package enum Purpose { case reading, writing, writingBack }

  /// How long to wait for other processes' locks; closing waits for a running call as well.
  private static let usualWait = Duration.seconds(1)

  /// How long to wait after a wait that failed: about the duration of another process's commit.
  private static let shortWait = Duration.milliseconds(20)

  /// How long closing may take.
  private static let lastWait = Duration.milliseconds(500)

  /// The pause before another attempt to open the file.
  private static let pause = Duration.seconds(1)

  /// The largest number of files to move aside; if more are damaged, the disk must be at fault.
  private static let mostMoves = 8

  package let path: String
  private let schema: Schema
  private let mayReplace: Bool
  private let warn: @Sendable (String) -> Void
  private let wait = LockWait()

  private(set) var file: StoreFile?
  private(set) var connection: DatabaseConnection?

  private var waitedInVain: Set<Purpose> = []
  private var warned: Set<SQLiteError.Kind> = []
  private var moves = 0
  private var triesAgain = ContinuousClock.now
  private var isRefused = false

  /// Names the database; `mayReplace` means that only Sonde stores files at this path, and `warn`
  /// receives each kind of problem with the file once.
  package init(
    path: String,
    schema: Schema,
    mayReplace: Bool,
    warn: @escaping @Sendable (String) -> Void
  ) {
    (self.path, self.schema, self.mayReplace, self.warn) = (path, schema, mayReplace, warn)
  }

  /// Limits all waiting because the database is to be closed; may be called on any thread.
  var hurry: @Sendable () -> Void { { [wait] in wait.hurry(Self.lastWait) } }

  /// Runs a body with the database.
  ///
  /// Retries if the database was damaged, moved or temporarily busy. After a wait that failed,
  /// later calls wait much less until the database was usable again.
  /// - Returns: `nil` if it cannot be done.
  @discardableResult
  func perform<R>(
    for purpose: Purpose,
    _ body: (DatabaseConnection) throws(SQLiteError) -> R
  ) -> R? {
    wait.begin(waitedInVain.contains(purpose) ? Self.shortWait : Self.usualWait)
    var attempts = 0
    while !isRefused {
      attempts += 1
      do {
        guard let connection = try open() else { return nil }
        let result = try body(connection)
        waitedInVain.remove(purpose)
        return result
      } catch {
        if attempts < 5, mend(error) { continue }
        // SQLite itself waits, but not everywhere.
        if error.kind == .busy, !wait.isOver {
          usleep(2000)
          continue
        }
        if error.kind == .busy { waitedInVain.insert(purpose) }
        complain(error)
        return nil
      }
    }
    return nil
  }

  /// Closes the database; the last process to close it leaves one file without companions.
  package func close() {
    wait.begin(Self.lastWait)
    // A killed process may have left a log, even if this process has not used the file.
    if connection == nil, FileStatus(path: path + "-wal") != nil { _ = try? open() }
    _ = try? file?.lock?.whileAlone(wait) { () throws(SQLiteError) in
      // While this is held, no other process can put another database at its path.
      if let connection, connection.isInPlace { connection.database.keepsLog = false }
      connection = nil
    }
    connection = nil
    file?.lock?.removeIfUnused()
    file = nil
    wait.relax()
  }

  /// Shows other processes that this one is alive while the file is open; returns whether they can
  /// see it.
  package func hold(_ holder: UInt64) -> Bool { file?.lock?.hold(holder) ?? false }

  /// Whether another open file holds a number; `nil` if unknown.
  package func isHeld(_ holder: UInt64) -> Bool? { file?.lock?.isHeld(holder) }

  private func open() throws(SQLiteError) -> DatabaseConnection? {
    if let connection, connection.isInPlace, file?.lock?.isInPlace ?? true { return connection }
    connection = nil
    guard .now >= triesAgain else { return nil }
    if file?.lock?.isInPlace != true {
      file = nil
      file = try StoreFile(path: path, schema: schema, mayReplace: mayReplace, wait)
    }
    guard let file else { return nil }
    let opened = try DatabaseConnection(file, wait: wait)
    if opened.hasReplaced {
      warn("\(schema.noun) \(path) was made by an earlier version of sonde: a new one is begun")
    }
    connection = opened
    return opened
  }

  /// Tries to fix the cause of an error; returns whether to retry.
  private func mend(_ error: SQLiteError) -> Bool {
    switch error.kind {
    // Sonde's own values are short.
    case .damaged, .tooLong: return moveAside(error)
    case .replaced:
      connection = nil
      return true
    case .newer, .outdated, .foreign: isRefused = true
    case .full, .busy: break
    case .forbidden where connection?.isWritable == false: break
    case .forbidden, .unfinished, .failing, .tooManySteps:
      connection = nil
      triesAgain = .now + Self.pause
    }
    return false
  }

  private func moveAside(_ error: SQLiteError) -> Bool {
    guard let file, let identity = connection?.identity ?? FileStatus(path: file.path)?.identity
    else { return false }
    let wasOurs = connection != nil
    // Closed before it is moved, so that nothing is written under the wrong name.
    connection = nil
    moves += 1
    isRefused = moves > Self.mostMoves
    do {
      guard !isRefused, let name = try file.moveAside(identity, wasOurs: wasOurs, wait) else {
        return !isRefused
      }
      warn(
        """
        \(schema.noun) \(file.path) was damaged (\(error.message)): it is now \(name), \
        a new one is begun
        """
      )
      return true
    } catch let obstacle {
      isRefused = true
      complain(obstacle)
      // Only the reason why it cannot be moved is reported.
      warned.insert(error.kind)
      return false
    }
  }

  private func complain(_ error: SQLiteError) {
    guard warned.insert(error.kind).inserted else { return }
    let reason =
      error.kind == .busy ? "another program has locked it; going on without" : error.message
    warn("\(schema.noun) \(path) cannot be used: \(reason)")
  }
}
