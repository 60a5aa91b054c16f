import Glibc
import SondeOutputs
import SondeSystem

/// The files of a scan.
struct ScanFolder: Sendable {
  let path: String

  /// The upload as received.
  var input: String { path + "/input" }
  var records: String { path + "/records.db" }

  /// The progress of a scan that is not finished.
  var journal: String { records + ".journal" }

  /// Creates the folder, accessible only to the owner.
  func make() throws(SystemError) {
    guard unsafe mkdir(path, 0o700) == 0 else { throw SystemError() }
  }

  /// Removes the records, so that the scan starts again.
  func removeRecords() {
    for file in RecordDatabaseSink.files(of: records) + [journal] { unsafe unlink(file) }
  }

  /// The bytes of all its files.
  var size: Int {
    names(in: path).reduce(0) { $0 + Int(clamping: FileStatus(path: "\(path)/\($1)")?.size ?? 0) }
  }

  func remove() {
    for name in names(in: path) where name != "." && name != ".." {
      unsafe unlink("\(path)/\(name)")
    }
    unsafe rmdir(path)
  }
}

extension DashboardState {
  nonisolated var scansFolder: String { folder + "/scans" }

  /// Incomplete uploads.
  nonisolated var uploadsFolder: String { folder + "/uploads" }

  nonisolated func scanFolder(_ id: String) -> ScanFolder {
    ScanFolder(path: "\(scansFolder)/\(id)")
  }

  /// Creates the folders, and removes uploads and scans of a killed server that are not in `ids`.
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

  /// A message that the disk has too little free space; `nil` if it has enough, or this is unknown.
  nonisolated func shortage(below bytes: Int) -> String? {
    guard let free = freeSpace, free < bytes else { return nil }
    return "less than \(bytes >> 20) MiB of the disk are free"
  }

  /// The free bytes of the disk; `nil` if unknown.
  private nonisolated var freeSpace: Int? {
    var status = statvfs()
    guard unsafe statvfs(folder, &status) == 0 else { return nil }
    let (bytes, isTooMany) = UInt64(status.f_bavail)
      .multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isTooMany ? .max : Int(clamping: bytes)
  }
}
