import SondeAddresses

/// A source of entries.
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

  /// What an operand of the command line names: `-` is stdin, an address, block or range is itself,
  /// and anything else is a file.
  ///
  /// With `hasSystems` an AS number is itself, too.
  public init(operand: String, refangs: Bool = false, hasSystems: Bool = false) {
    guard operand != "-" else {
      self = .standardInput
      return
    }
    var text = operand
    let item = text.withUTF8 { unsafe ListItem.parse(operand: $0.span, refangs: refangs) }
    switch item {
    case .address, .range: self = .literal(operand)
    case .nothing, .invalid:
      let isSystem = hasSystems && text.withUTF8 { unsafe $0.span.systemNumber } != nil
      self = isSystem ? .literal(operand) : .file(operand)
    }
  }
}

/// An input that could not be read completely.
public struct InputError: Error, Sendable, Equatable {
  /// The input's name.
  public let name: String

  /// The reason, usually the system's message.
  public let reason: String

  /// The system's error number; 0 if it was not a system error.
  public var code: Int32 = 0

  /// Whether the text before the failure is complete, and does not end within an address.
  package var isBehindText = false

  /// Whether the options do not match the input, which is a usage error.
  public private(set) var isMisuse = false

  package init(name: String, reason: String, code: Int32 = 0) {
    (self.name, self.reason, self.code) = (name, reason, code)
  }

  /// Creates an error about an input that does not match the options; `reason` suggests others.
  package static func misuse(of name: String, _ reason: String) -> InputError {
    var error = InputError(name: name, reason: reason)
    error.isMisuse = true
    return error
  }

  /// Creates an error about an input that does not support `--range`.
  static func notForRange(_ name: String) -> InputError {
    .misuse(of: name, "--range applies to a regular file that is neither compressed nor UTF-16")
  }

  /// Creates an error about a file that was truncated while it was read.
  package static func becameShorter(_ name: String) -> InputError {
    InputError(name: name, reason: "became shorter while it was read")
  }
}

/// The progress of reading the inputs.
public struct ReadProgress: Sendable {
  /// The number of bytes on disk read so far; estimated within a compressed input.
  public var bytes: UInt64 = 0

  /// The number of entries found but not yet delivered.
  public var held = 0

  /// The total size of all inputs; `nil` if one of them is a pipe.
  public var total: UInt64? = 0

  /// The number of entries from blocks and ranges so far.
  public var expanded: UInt64 = 0

  /// The number of entries still to come from the current block or range.
  public var toExpand: UInt64 = 0

  /// The position for a journal.
  package var mark = InputMark()

  /// Creates the progress of a reader that has read nothing.
  public init() {}
}
