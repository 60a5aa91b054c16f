public import Glibc

/// What the system refused, by its own number for the reason.
public struct SystemError: Error, Sendable, Equatable {
  /// The number (errno(3)).
  public let code: Int32

  /// Takes the reason of the call that has just failed, unless another is named.
  public init(_ code: Int32 = errno) { self.code = code }
}

extension SystemError: CustomStringConvertible {
  /// The system's words: `No such file or directory`.
  public var description: String { unsafe String(cString: strerror(code)) }
}
