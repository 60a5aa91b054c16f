import Glibc

/// The first page of a file, read without SQLite, which creates files next to what it opens.
///
/// Closing a file drops the process's locks on it, so the file must not be in use by this process.
struct FileBeginning {
  private let bytes: [UInt8]

  /// - Returns: `nil` if the file cannot be read.
  init?(path: String) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var count = 0
    bytes = unsafe [UInt8](unsafeUninitializedCapacity: Schema.pageSize) { buffer, length in
      unsafe count = read(descriptor, buffer.baseAddress, buffer.count)
      length = max(0, count)
    }
    guard count >= 0 else { return nil }
  }

  /// Whether it is a database, ours or not (https://www.sqlite.org/fileformat.html, 1.3.1).
  var isDatabase: Bool { bytes.starts(with: "SQLite format 3\0".utf8) }

  /// Whether the file is such a database, possibly damaged.
  func isOurs(_ schema: Schema) -> Bool {
    // Binary content, so that a text that mentions our tables is not mistaken for one.
    guard bytes.contains(0) else { return false }
    let id = bytes.dropFirst(68).prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    return id == schema.applicationID || schema.traces.contains { bytes.contains(Array($0.utf8)) }
  }

  /// Whether a database can be created in it: it is empty, or a database without tables
  /// (https://www.sqlite.org/fileformat.html, 1.6: the cells of the first page).
  var isEmpty: Bool { bytes.isEmpty || isDatabase && bytes.dropFirst(103).starts(with: [0, 0]) }
}
