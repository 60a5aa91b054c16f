/// Where entries come from.
public enum Input: Sendable, Equatable {
  /// `-`.
  case standardInput
  /// A file, by its path.
  case file(String)
  /// An address, block or range given on the command line.
  case literal(String)

  /// The name in the `input` column and in messages.
  public var name: String {
    switch self {
    case .standardInput: "-"
    case .file(let path): path
    case .literal(let text): text
    }
  }
}

/// An input that could not be read, or not to its end.
public struct InputError: Error, Sendable, Equatable {
  /// The input's name.
  public let name: String

  /// The system's words for it.
  public let reason: String

  /// The system's number for it; 0 where it was not the system that failed.
  public var code: Int32 = 0

  /// Whether the text before the failure ends where it should, and not in the middle of an address
  /// perhaps.
  package var isBehindText = false

  /// Whether the options do not fit the input, which is a wrong use of the command.
  public private(set) var isMisuse = false

  /// Names an input that cannot be read, and why.
  package init(name: String, reason: String, code: Int32 = 0) {
    (self.name, self.reason, self.code) = (name, reason, code)
  }

  /// An input that is none for the options given.
  ///
  /// - Parameters:
  ///   - name: The input's name.
  ///   - reason: What does not fit, and which options would.
  /// - Returns: The error.
  package static func misuse(of name: String, _ reason: String) -> InputError {
    var error = InputError(name: name, reason: reason)
    error.isMisuse = true
    return error
  }

  /// An input that cannot be read in parts.
  static func notForRange(_ name: String) -> InputError {
    .misuse(of: name, "--range applies to a regular file that is neither compressed nor UTF-16")
  }

  /// A file that was cut off while it was read.
  package static func becameShorter(_ name: String) -> InputError {
    InputError(name: name, reason: "became shorter while it was read")
  }
}

/// How much of the inputs has been read.
public struct ReadProgress: Sendable {
  /// Bytes of the inputs, as they lie on the disk, that the entries so far come from; within a
  /// compressed input in proportion to its text.
  public var bytes: UInt64 = 0

  /// Entries that were found in these bytes, and are still to be given out.
  public var held = 0

  /// Bytes of all inputs, those still to come included; `nil` when one of them is a pipe.
  public var total: UInt64? = 0

  /// Entries so far that came from blocks and ranges.
  public var expanded: UInt64 = 0

  /// Entries that the block or range at hand is still to give.
  public var toExpand: UInt64 = 0

  /// What has been read, for a journal.
  package var mark = InputMark()

  /// Makes the progress of a reader that has read nothing.
  public init() {}
}
