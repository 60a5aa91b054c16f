import Glibc
import System

/// Opens a database when it is needed, and decides what to do when something is wrong with it.
final class DatabaseKeeper {
  /// What something is done for: who cannot write may still be able to read.
  enum Purpose {
    case reading, writing, writingBack
  }

  /// How long to wait for locks that others hold; an end waits for what is under way, too.
  private static let usualWait = Duration.seconds(1)

  /// The same, where it was in vain the last time: as long as others take for a commit.
  private static let shortWait = Duration.milliseconds(20)

  /// How long the end may take.
  private static let lastWait = Duration.milliseconds(500)

  /// How long to leave a file alone that could not be opened.
  private static let pause = Duration.seconds(1)

  /// The most files to move aside; after that the disk must be to blame.
  private static let mostMoves = 8

  private let path: String
  private let schema: Schema
  private let mayReplace: Bool
  private let warn: @Sendable (String) -> Void

  /// What the database's calls wait by.
  private let wait = LockWait()

  private(set) var file: DatabaseFile?
  private(set) var connection: Connection?

  private var waitedInVain: Set<Purpose> = []
  private var warned: Set<StoreError.Kind> = []
  private var moves = 0
  private var triesAgain = ContinuousClock.now
  private var isRefused = false

  /// - Parameters:
  ///   - path: The database.
  ///   - schema: What is in it.
  ///   - mayReplace: Whether nobody else keeps anything at this path.
  ///   - warn: Told once for each thing that is wrong with the file.
  init(
    path: String,
    schema: Schema,
    mayReplace: Bool,
    warn: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.schema = schema
    self.mayReplace = mayReplace
    self.warn = warn
  }

  /// What may be done from any thread: cuts short all waiting, as the end has come.
  var hurry: @Sendable () -> Void { { [wait] in wait.hurry(Self.lastWait) } }

  /// Does something with the database.
  ///
  /// It is done again when the database was damaged, moved or, for a while, busy. Once it was waited
  /// for in vain, it is hardly waited for again until it could be used.
  /// - Returns: `nil` when it cannot be done.
  @discardableResult
  func perform<R>(
    for purpose: Purpose,
    _ body: (Connection) throws(StoreError) -> R
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

  /// Closes the database; when it was the last to use it, its file alone is all of it.
  ///
  /// - Parameter last: What to do before, if it can be done.
  func close(after last: (Connection) throws(StoreError) -> Void = { _ in }) {
    wait.begin(Self.lastWait)
    // A process that was killed may have left a log, also where this one has looked nothing up.
    if connection == nil, FileStatus(path: path + "-wal") != nil { _ = try? open() }
    if let connection, connection.isWritable { try? last(connection) }
    _ = try? file?.lock?.whileAlone(wait) { () throws(StoreError) in
      // Nobody puts another database at its path meanwhile.
      if let connection, connection.isInPlace { connection.database.keepsLog = false }
      connection = nil
    }
    connection = nil
    file?.lock?.removeIfUnused()
    file = nil
    wait.relax()
  }

  private func open() throws(StoreError) -> Connection? {
    if let connection, connection.isInPlace, file?.lock?.isInPlace ?? true { return connection }
    connection = nil
    guard .now >= triesAgain else { return nil }
    if file?.lock?.isInPlace != true {
      file = nil
      file = try DatabaseFile(path: path, schema: schema, mayReplace: mayReplace, wait)
    }
    guard let file else { return nil }
    let opened = try Connection(file, wait: wait)
    if opened.hasReplaced {
      warn("\(schema.noun) \(path) was made by an earlier version of sonde: a new one is begun")
    }
    connection = opened
    return opened
  }

  /// Does what may help against an error.
  ///
  /// - Returns: Whether to try again.
  private func mend(_ error: StoreError) -> Bool {
    switch error.kind {
    case .damaged: return moveAside(error)
    case .replaced:
      connection = nil
      return true
    case .newer, .outdated, .foreign:
      isRefused = true
    case .full, .busy: break
    case .forbidden where connection?.isWritable == false: break
    case .forbidden, .failing:
      connection = nil
      triesAgain = .now + Self.pause
    }
    return false
  }

  private func moveAside(_ error: StoreError) -> Bool {
    guard let file,
      let identity = connection?.identity ?? FileStatus(path: file.path)?.identity
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
      // Why it stays says all.
      warned.insert(error.kind)
      return false
    }
  }

  private func complain(_ error: StoreError) {
    guard warned.insert(error.kind).inserted else { return }
    let reason =
      error.kind == .busy ? "another program has locked it; going on without" : error.message
    warn("\(schema.noun) \(path) cannot be used: \(reason)")
  }
}
