import Glibc
public import SondeSystem

/// Why an output could not be written.
public struct OutputError: Error, Sendable, Equatable {
  /// The output's name.
  public let name: String

  /// The system's words for it.
  public let reason: String

  /// Whether the reader of a pipe has gone, which is no fault.
  public let isClosedPipe: Bool

  /// Whether the wait for a reader, or for another program's lock, was ended.
  public private(set) var isAbandoned = false

  /// Whether the disk has no room.
  public private(set) var isDiskFull = false

  /// Whether another process writes it.
  public private(set) var isBusy = false

  /// Takes a reason of Sonde's own.
  init(name: String, reason: String) {
    self.name = name
    self.reason = reason
    isClosedPipe = false
  }

  /// A reader, or a lock of another program, that was not waited for any longer.
  public static func abandoned(
    _ name: String,
    _ reason: String = "its reader takes nothing more"
  ) -> OutputError {
    var failure = OutputError(name: name, reason: reason)
    failure.isAbandoned = true
    return failure
  }

  /// A file that another process writes.
  public static func busy(_ name: String) -> OutputError {
    var failure = OutputError(name: name, reason: "another sonde is at work on it")
    failure.isBusy = true
    return failure
  }

  /// A file whose name leads to another one, or to none, since it was opened.
  public static func displaced(_ name: String) -> OutputError {
    OutputError(
      name: name,
      reason: "another program has replaced or removed it while it was written"
    )
  }

  /// A file that is shorter or longer than what was written to it.
  static func changed(_ name: String) -> OutputError {
    OutputError(name: name, reason: "another program has changed it while it was written")
  }

  /// Takes the reason why a file cannot be opened.
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

  /// Takes the reason from an error number.
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
