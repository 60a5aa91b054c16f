import Glibc
import System

/// Opens the database when it is needed, and decides what to do when something is wrong with it.
final class SessionKeeper {
  /// How long to try when other processes hold the database.
  private static let longestWait = Duration.seconds(20)

  /// How long to leave a file alone that could not be opened.
  private static let pause = Duration.seconds(1)

  /// The most files to move aside; after that the disk must be to blame.
  private static let mostMoves = 8

  private let path: String
  private let mayReplace: Bool
  private let limits: Limits
  private let holder: UInt64
  private let warn: @Sendable (String) -> Void

  private var file: CacheFile?
  private(set) var session: Session?

  private var isHolding = false
  private var warned: Set<StoreError.Kind> = []
  private var moves = 0
  private var triesAgain = ContinuousClock.now
  private var isRefused = false

  init(
    path: String,
    mayReplace: Bool,
    limits: Limits,
    holder: UInt64,
    warn: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.mayReplace = mayReplace
    self.limits = limits
    self.holder = holder
    self.warn = warn
  }

  /// Does something with the database.
  ///
  /// It is done again when the database was busy, damaged or moved.
  /// - Returns: `nil` when it cannot be done.
  @discardableResult
  func perform<R>(_ body: (Session) throws(StoreError) -> R) -> R? {
    let start = ContinuousClock.now
    var attempts = 0
    while !isRefused {
      attempts += 1
      do {
        guard let session = try open() else { return nil }
        return try body(session)
      } catch {
        let mayRepeat = attempts < 5 && mend(error)
        let mayWait = error.kind == .busy && .now - start < Self.longestWait
        // SQLite itself waits, but not everywhere.
        if mayWait { usleep(2000) }
        guard mayRepeat || mayWait else {
          complain(error)
          return nil
        }
      }
    }
    return nil
  }

  /// Tells who lives, after it has shown that this process does; `nil` where files have no locks.
  func liveness() -> (@Sendable (UInt64) -> Bool)? {
    guard let lock = file?.lock else { return nil }
    if !isHolding {
      guard lock.hold(holder) else {
        complain(StoreError(system: "\(path)-lock"))
        return nil
      }
      isHolding = true
    }
    let holder = holder
    return { $0 == holder || lock.isHeld($0) }
  }

  /// Closes the database.
  ///
  /// - Parameter last: What to do before, if it can be done.
  func close(after last: (Session) throws(StoreError) -> Void) {
    if let session, session.isInPlace, session.isWritable { try? last(session) }
    session = nil
    file = nil
    isHolding = false
  }

  private func open() throws(StoreError) -> Session? {
    if let session, session.isInPlace, file?.lock?.isInPlace ?? true { return session }
    session = nil
    guard .now >= triesAgain else { return nil }
    if file?.lock?.isInPlace != true {
      file = nil
      isHolding = false
      file = try CacheFile(path: path, mayReplace: mayReplace)
    }
    guard let file else { return nil }
    session = try Session(file, limits: limits)
    return session
  }

  /// Does what may help against an error.
  ///
  /// - Returns: Whether to try again.
  private func mend(_ error: StoreError) -> Bool {
    switch error.kind {
    case .damaged: return moveAside(error)
    case .replaced:
      session = nil
      return true
    case .newer, .foreign:
      isRefused = true
    case .full, .busy: break
    case .forbidden where session?.isWritable == false: break
    case .forbidden, .failing:
      session = nil
      triesAgain = .now + Self.pause
    }
    return false
  }

  private func moveAside(_ error: StoreError) -> Bool {
    guard let file, let identity = session?.identity ?? FileStatus(path: file.path)?.identity else {
      return false
    }
    let wasOurs = session != nil
    // Closed before it is moved, so that nothing is written under the wrong name.
    session = nil
    moves += 1
    isRefused = moves > Self.mostMoves
    do {
      guard !isRefused, let name = try file.moveAside(identity, wasOurs: wasOurs) else {
        return !isRefused
      }
      warn(
        "the cache \(file.path) was damaged (\(error.message)): it is now \(name), a new one is begun"
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
    let reason = error.kind == .busy ? "other processes hold it" : error.message
    warn("the cache \(path) cannot be used: \(reason)")
  }
}
