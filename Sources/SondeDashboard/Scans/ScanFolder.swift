import Glibc
import SondeOutputs
import SondeSystem

/// The files of a scan.
struct ScanFolder: Sendable {
  let path: String

  /// The upload, as it came.
  var input: String { path + "/input" }

  /// The table of records, the main output.
  var records: String { path + "/records.db" }

  /// How far the scan is, while it is not finished.
  var journal: String { records + ".journal" }

  /// Makes the folder, for the owner alone.
  func make() throws(SystemError) {
    guard unsafe mkdir(path, 0o700) == 0 else { throw SystemError() }
  }

  /// Removes the records, so that the scan begins anew.
  func removeRecords() {
    for file in RecordDatabaseSink.files(of: records) + [journal] { unsafe unlink(file) }
  }

  /// Removes everything.
  func remove() {
    for name in names(in: path) where name != "." && name != ".." {
      unsafe unlink("\(path)/\(name)")
    }
    unsafe rmdir(path)
  }
}

extension DashboardState {
  /// Where the scans lie.
  nonisolated var scansFolder: String { folder + "/scans" }

  /// Where uploads lie until they are whole.
  nonisolated var uploadsFolder: String { folder + "/uploads" }

  /// The files of a scan.
  nonisolated func scanFolder(_ id: String) -> ScanFolder {
    ScanFolder(path: "\(scansFolder)/\(id)")
  }

  /// Makes the folders, and removes what a server that was killed has left in them: uploads, and
  /// scans that are not among these.
  nonisolated func tidyFolders(keeping ids: Set<String>) throws(StateError) {
    for folder in [scansFolder, uploadsFolder] {
      if let obstacle = makePrivateFolders(folder) {
        throw StateError("\(obstacle.name): \(SystemError(obstacle.code))")
      }
    }
    for name in names(in: uploadsFolder) where name != "." && name != ".." {
      unsafe unlink("\(uploadsFolder)/\(name)")
    }
    for name in names(in: scansFolder) where name != "." && name != ".." && !ids.contains(name) {
      scanFolder(name).remove()
    }
  }

  /// A message that too few bytes of the disk are free; `nil` if there are enough, or this is unknown.
  nonisolated func shortage(below bytes: Int) -> String? {
    guard let free = freeSpace, free < bytes else { return nil }
    return "less than \(bytes >> 20) MiB of the disk are free"
  }

  /// The free bytes of the disk; `nil` where that cannot be known.
  private nonisolated var freeSpace: Int? {
    var status = statvfs()
    guard unsafe statvfs(folder, &status) == 0 else { return nil }
    let (bytes, isTooMany) = UInt64(status.f_bavail)
      .multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isTooMany ? .max : Int(clamping: bytes)
  }
}
