import Glibc
public import SondeSystem

/// The reason why an output could not be written.
public struct OutputError: Error, Sendable, Equatable {
  /// The output's name.
  public let name: String

  /// The reason, usually the system's message.
  public let reason: String

  /// Whether the reader of a pipe has closed it, which is not a failure.
  public let isClosedPipe: Bool

  /// Whether the wait for a reader, or for another program's lock, was ended.
  public private(set) var isAbandoned = false

  /// Whether the disk is full.
  public private(set) var isDiskFull = false

  /// Whether another process is writing it.
  public private(set) var isBusy = false

  /// Creates an error detected by Sonde.
  init(name: String, reason: String) {
    (self.name, self.reason, isClosedPipe) = (name, reason, false)
  }

  /// Creates the error of a wait for a reader or a lock that was ended.
  public static func abandoned(
    _ name: String,
    _ reason: String = "its reader takes nothing more"
  ) -> OutputError {
    var failure = OutputError(name: name, reason: reason)
    failure.isAbandoned = true
    return failure
  }

  /// Creates the error of a file that another process is writing.
  public static func busy(_ name: String) -> OutputError {
    var failure = OutputError(name: name, reason: "another sonde is at work on it")
    failure.isBusy = true
    return failure
  }

  /// Creates the error of a file whose name no longer leads to it.
  public static func displaced(_ name: String) -> OutputError {
    OutputError(
      name: name,
      reason: "another program has replaced or removed it while it was written"
    )
  }

  static func changed(_ name: String) -> OutputError {
    OutputError(name: name, reason: "another program has changed it while it was written")
  }

  /// Creates the error of a file that cannot be opened.
  public init(name: String, _ error: OutputFileError) {
    switch error {
    case .busy: self = .busy(name)
    case .failed(let error): self.init(name: name, code: error.code)
    case .unlockable(let error):
      self.init(
        name: name,
        reason: "cannot be locked against other programs (\(error)); write to another file system"
      )
    }
  }

  /// Creates the error of an error number.
  public init(name: String, code: Int32) {
    self.name = name
    reason = "\(SystemError(code))"
    isClosedPipe = code == EPIPE
    isDiskFull = [ENOSPC, EDQUOT].contains(code)
  }
}

extension OutputError: CustomStringConvertible {
  /// The name and the reason.
  public var description: String {
    isBusy ? "another sonde is at work on \(name)" : "\(name): \(reason)"
  }
}
