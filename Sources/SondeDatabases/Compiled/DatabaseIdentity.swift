import Glibc
import SondeSystem
import SwiftOverlayShims  // Optimized builds find timespec in it.

/// The identity of one state of a database file.
///
/// Renaming another file over it changes the inode, writing to it the times; the bytes at both ends
/// contain the date, and in libloc's format a signature of the whole.
struct DatabaseIdentity: Equatable, Sendable {
  /// Device, inode, size, time of the last write and of the last change of the inode (seconds,
  /// nanoseconds), and a checksum of the first and last bytes.
  let words: [UInt64]
  static let count = 8

  /// The number of bytes read at either end.
  private static let edge = 8192

  init(words: [UInt64]) { self.words = words }

  init(_ file: borrowing DatabaseFile) throws(DatabaseError) {
    var status = stat()
    guard unsafe fstat(file.descriptor, &status) == 0 else {
      throw DatabaseError(path: file.path, reason: .unreadable(errno: errno))
    }
    let edge = min(file.size, Self.edge)
    let head = try file.read(at: 0, count: edge)
    let tail = try file.read(at: file.size - edge, count: edge)
    let sum = Checksum.of(tail.span, after: Checksum.of(head.span))
    words = Self.words(of: status) + [sum]
  }

  /// Whether a path still leads to this file, unchanged.
  func isAt(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && Self.words(of: status) == words.dropLast()
  }

  /// A name for files about this state of the database.
  var name: String {
    let digits = String(Checksum.of(words.span), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func words(of status: stat) -> [UInt64] {
    [
      UInt64(status.st_dev), UInt64(status.st_ino), UInt64(status.st_size),
      UInt64(bitPattern: Int64(status.st_mtim.tv_sec)), UInt64(status.st_mtim.tv_nsec),
      UInt64(bitPattern: Int64(status.st_ctim.tv_sec)), UInt64(status.st_ctim.tv_nsec),
    ]
  }
}
