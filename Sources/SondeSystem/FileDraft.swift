import Glibc

/// A file that is filled beside the one whose place it takes, by one process at a time.
///
/// What a killed process leaves of one is the beginning of the next: its name is always the same.
public final class FileDraft: Sendable {
  /// The path of the draft, which others must not read.
  public let path: String

  /// The empty file.
  public var descriptor: Descriptor { file.descriptor }

  private let file: OutputFile
  private let final: String

  /// Creates an empty draft of a file, for this user only, and missing directories.
  ///
  /// - Throws: ``OutputFileError``, `busy` while another process has a draft of the file.
  public init(of path: String) throws(OutputFileError) {
    if let obstacle = makePrivateFolders(folder(of: path)) {
      throw .failed(SystemError(obstacle.code))
    }
    (self.path, final) = (path + ".part", path)
    file = try OutputFile(opening: self.path, O_RDWR | O_CREAT, mode: 0o600)
    guard ftruncate(file.descriptor.number, 0) == 0 else { throw .failed(SystemError()) }
  }

  /// Replaces the file by the draft, atomically and durably; readers see the old one or the new one.
  public func keep() throws(SystemError) {
    guard fsync(descriptor.number) == 0, unsafe rename(path, final) == 0 else {
      throw SystemError()
    }
    synchronizeFolder(of: final)
  }

  /// Removes the draft, unless it was kept.
  deinit { if file.isInPlace { unsafe unlink(path) } }
}
