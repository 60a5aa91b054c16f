import Glibc
import SondeSystem

/// The right to send the alerts of a queue, which one program has at a time, until it ends.
struct SenderLock {
  private let path: String
  private var held: (folder: Descriptor, identity: FileIdentity)?

  init(path: String) { self.path = path }

  /// Takes the lock if it is free; also where the directory cannot be written.
  ///
  /// A directory that was removed and made again is another one.
  /// - Returns: Whether this program has it; `nil` if there is no directory.
  mutating func take() -> Bool? {
    let status = FileStatus(path: path)
    if let held, held.identity == status?.identity { return true }
    held = nil
    guard let folder = try? Descriptor(opening: path, O_RDONLY | O_DIRECTORY),
      let identity = FileStatus(descriptor: folder.number)?.identity
    else { return nil }
    // On a file system without locks, one that sends twice is better than none that sends.
    guard (try? FileLock.tryLockFolder(folder)) != false else { return false }
    held = (folder, identity)
    return true
  }
}
