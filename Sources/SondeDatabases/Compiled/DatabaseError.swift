import Glibc
public import SondeSystem

/// Why a local database cannot be used.
public struct DatabaseError: Error, Equatable, CustomStringConvertible {
  /// What is wrong with the file.
  public enum Reason: Equatable, Sendable {
    /// It cannot be opened or read, or is a directory; the operating system's error number.
    case unreadable(errno: Int32)
    /// It is a device, a pipe or a socket.
    case notAFile
    /// It has no bytes.
    case empty
    /// Its content is neither libloc's format nor MMDB.
    case unrecognised
    /// It has the marks of a database but cannot be trusted; why, in words.
    case damaged(String)
    /// The library that reads its format cannot be loaded.
    case unsupported(LibraryError)
  }

  /// The file.
  public let path: String

  /// What is wrong with it.
  public let reason: Reason

  /// The path and the reason, for a person.
  public var description: String {
    switch reason {
    case .unreadable(let code): "\(path): \(Self.text(ofErrno: code))"
    case .notAFile: "\(path): not a regular file"
    case .empty: "\(path): the file is empty"
    case .unrecognised: "\(path): neither a libloc nor an MMDB database"
    case .unsupported(let error): "\(path): \(error)"
    case .damaged(let detail): "\(path): not a sound database: \(detail)"
    }
  }

  private static func text(ofErrno code: Int32) -> String {
    var buffer = InlineArray<128, CChar>(repeating: 0)
    var span = buffer.mutableSpan
    return unsafe span.withUnsafeMutableBufferPointer { bytes in
      guard let start = bytes.baseAddress, unsafe strerror_r(code, start, bytes.count) == 0
      else { return "error \(code)" }
      return unsafe String(cString: start)
    }
  }
}
