import Glibc
import SondeOptions
import SondeOutputs
import SondeRecords
import SondeSystem

/// The directory in which a guard keeps its state, for one process at a time.
package final class GuardFolder: Sendable {
  /// The file of the state.
  package let path: String
  /// Keeps the lock.
  private let lock: Descriptor

  /// Creates the directory of a name in that for state.
  ///
  /// - Throws: ``UsageError`` without a directory for state, or while another process has that of the
  ///   name; ``OutputError`` if it cannot be written.
  package init(_ name: String, in state: String?) throws {
    guard let state else {
      throw Self.error("--name keeps its state in HOME or XDG_STATE_HOME: set one of them")
    }
    let folder = "\(state)/guard/\(name)"
    if let failure = makePrivateFolders(folder) {
      throw OutputError(name: failure.name, code: failure.code)
    }
    path = folder + "/state.db"
    do throws(SystemError) {
      lock = try Descriptor(opening: folder + "/lock", Int32(O_RDWR | O_CREAT), mode: 0o600)
      if try FileLock.tryLock(lock.number) { return }
    } catch {
      throw OutputError(name: folder, code: error.code)
    }
    throw Self.error("--name \(name): another process has this name: end it, or choose another")
  }

  private static func error(_ reason: String) -> UsageError {
    UsageError(reason, command: .guard, isAboutSetup: true)
  }
}
