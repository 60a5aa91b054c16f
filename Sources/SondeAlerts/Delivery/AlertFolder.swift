import CSondeSpawn
import Glibc
import SondeOutputs
import SondeSystem

/// The directory of a queue: a file for each alert, and those refused in `refused`.
struct AlertFolder: Sendable {
  /// The number of refused alerts that are kept.
  static let mostRefused = 100

  /// The size of the largest alert in bytes.
  private static let largestFile = 1 << 20

  /// The age of a draft whose writer was certainly killed, in seconds.
  private static let staleDraft = Duration.seconds(3600)
  private static let draftPrefix = ".draft-"

  /// SYNC_FILE_RANGE_WRITE of Linux's include/uapi/linux/fs.h; Glibc's module lacks it.
  private static let beginWriting: UInt32 = 2

  let path: String
  var refusedPath: String { path + "/refused" }

  /// The keys of the alerts that this queue is done with.
  var doneKeys: DoneKeys { DoneKeys(path: path + "/.done") }

  /// The waiting alerts in order.
  func waiting() -> [AlertName] { alerts(in: path) }

  /// The largest number in use.
  func lastNumber(of waiting: [AlertName]) -> Int {
    max(waiting.last?.number ?? 0, alerts(in: refusedPath).last?.number ?? 0)
  }

  private func alerts(in folder: String) -> [AlertName] {
    names(in: folder).compactMap { AlertName(file: $0) }.sorted()
  }

  /// When an alert was written by the machine's clock, since 1970.
  func written(_ name: AlertName) -> Duration? { FileStatus(path: file(name))?.modified }

  /// The content of an alert; `nil` if it is gone or empty.
  func read(_ name: AlertName) throws(OutputError) -> [UInt8]? {
    do throws(SystemError) {
      let body = try WholeFile(path: file(name)).read(atMost: Self.largestFile)
      return body.isEmpty ? nil : body
    } catch {
      guard error.code != ENOENT else { return nil }
      throw OutputError(name: file(name), code: error.code)
    }
  }

  /// Writes alerts durably, each file and its name, in order; returns the error of each that is not
  /// there.
  ///
  /// The disk takes many at a time, for each wait for it takes as long as the writing of hundreds.
  func write(_ alerts: [(name: AlertName, body: [UInt8])]) -> [OutputError?] {
    do throws(OutputError) { try makeFolders(path) } catch { return alerts.map { _ in error } }
    var errors = alerts.map { alert in
      attempt(alert.name) { draft throws(SystemError) in
        let file = try create(draft)
        try file.write(alert.body)
        // Only a hint, without which the next step takes longer.
        _ = sync_file_range(file.number, 0, 0, Self.beginWriting)
      }
    }
    for (index, alert) in alerts.enumerated() where errors[index] == nil {
      errors[index] = attempt(alert.name) { draft throws(SystemError) in
        let file = try Descriptor(opening: draft, O_RDONLY)
        guard fdatasync(file.number) == 0, unsafe rename(draft, self.file(alert.name)) == 0 else {
          throw SystemError()
        }
      }
    }
    synchronizeFolder(path)
    return errors
  }

  private func create(_ draft: String) throws(SystemError) -> Descriptor {
    let flags = O_WRONLY | O_CREAT | O_EXCL
    do throws(SystemError) { return try Descriptor(opening: draft, flags, mode: 0o600) } catch {
      guard error.code == EEXIST else { throw error }
      // A program that was killed has left one of the same key.
      unsafe unlink(draft)
      return try Descriptor(opening: draft, flags, mode: 0o600)
    }
  }

  /// Takes a step with the draft of an alert, which is removed if that fails; returns the error.
  private func attempt(
    _ name: AlertName,
    _ step: (_ draft: String) throws(SystemError) -> Void
  ) -> OutputError? {
    let draft = path + "/" + Self.draftPrefix + name.key
    do throws(SystemError) {
      try step(draft)
      return nil
    } catch {
      unsafe unlink(draft)
      return OutputError(name: path, code: error.code)
    }
  }

  /// Removes an alert; one that is gone is no error.
  func remove(_ name: AlertName) throws(OutputError) {
    guard unsafe unlink(file(name)) != 0, errno != ENOENT else { return }
    throw OutputError(name: path, code: errno)
  }

  /// Moves a waiting alert, or writes one that is not on disk, to the refused ones, and removes the
  /// oldest of too many.
  func refuse(_ name: AlertName, _ body: [UInt8]?) throws(OutputError) {
    try makeFolders(refusedPath)
    var refused = name
    refused.isRefused = true
    if let body {
      let errors = AlertFolder(path: refusedPath).write([(refused, body)])
      if let error = errors[0] { throw error }
    } else if unsafe rename(file(name), refusedPath + "/" + refused.file) != 0, errno != ENOENT {
      throw OutputError(name: refusedPath, code: errno)
    }
    for oldest in alerts(in: refusedPath).dropLast(Self.mostRefused) {
      unsafe unlink(refusedPath + "/" + oldest.file)
    }
  }

  /// Takes a file of another directory over as an alert.
  func take(_ path: String, as name: AlertName) -> Bool { unsafe rename(path, file(name)) == 0 }

  /// Sets the time when an alert was written, after the machine's clock was set.
  func stamp(_ name: AlertName, written: Duration) {
    let (seconds, attoseconds) = written.components
    let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    let times = [time, time]
    unsafe utimensat(AT_FDCWD, file(name), times, 0)
  }

  /// Removes the drafts of programs that were killed.
  func removeStaleDrafts(wall: Duration) {
    for name in names(in: path) where name.hasPrefix(Self.draftPrefix) {
      let draft = path + "/" + name
      guard let written = FileStatus(path: draft)?.modified, wall - written > Self.staleDraft else {
        continue
      }
      unsafe unlink(draft)
    }
  }

  private func file(_ name: AlertName) -> String { path + "/" + name.file }
}

/// Creates a directory and its parents, accessible to this user only.
func makeFolders(_ path: String) throws(OutputError) {
  guard let failure = makePrivateFolders(path) else { return }
  throw OutputError(name: failure.name, code: failure.code)
}
