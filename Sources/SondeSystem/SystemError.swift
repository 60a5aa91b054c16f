public import Glibc

/// An error of a system call.
public struct SystemError: Error, Sendable, Equatable {
  /// The error number (errno(3)).
  public let code: Int32

  /// Creates an error, by default that of the last failed call.
  public init(_ code: Int32 = errno) { self.code = code }
}

extension SystemError: CustomStringConvertible {
  /// The system's message, such as `No such file or directory`.
  public var description: String { unsafe String(cString: strerror(code)) }
}
