/// The inputs of a command, each opened once before anything is written.
///
/// Regular files are closed again, so that their number is not limited by that of open files; pipes
/// stay open, since their writers would not reconnect.
public struct InputSet: Sendable {
  /// The inputs in order.
  public let inputs: [Input]

  /// Whether captures are accepted.
  package let captures: CaptureRule

  /// Whether databases of records are accepted.
  let hasDatabases: Bool

  /// Files are read from the lines that start in this range; `nil` for all.
  package let range: Range<Int>?

  /// The limit of decompressed text in bytes; reading beyond it is refused with a message.
  public var longestUnpacked = UInt64.max

  /// The errors of inputs that cannot be read, in order.
  public let failures: [InputError]

  /// The total size of readable inputs in bytes; `nil` if one of them is a pipe.
  package let size: UInt64?

  private var states: [State] = []

  private enum State {
    case closed
    case open(OpenFile)
    case failed(InputError)
  }

  /// Opens inputs, except literals.
  ///
  /// - Parameters:
  ///   - inputs: The inputs in order.
  ///   - captures: Whether packet captures are accepted.
  ///   - hasDatabases: Whether databases of records are accepted.
  ///   - range: Only lines that start in this range are read, which requires uncompressed regular
  ///     text files; `nil` for all.
  public init(
    opening inputs: [Input],
    captures: CaptureRule = .refused,
    hasDatabases: Bool = false,
    range: Range<Int>? = nil
  ) {
    (self.inputs, self.captures, self.hasDatabases) = (inputs, captures, hasDatabases)
    self.range = range
    var (failures, size): ([InputError], UInt64?) = ([], 0)
    for input in inputs {
      if case .literal = input {
        if range != nil { failures.append(.notForRange(input.name)) }
        states.append(.closed)
        continue
      }
      do throws(InputError) {
        let file = try OpenFile(input)
        if case .foreign(let format) = file.content {
          let isRead: Bool =
            switch captures {
            case .insisted: true
            case .recognized where format.isCapture: true
            case .recognized, .refused: hasDatabases && format == .database
            }
          let reason = format.reason(for: input.name)
          guard isRead else { throw InputError(name: input.name, reason: reason) }
        }
        if range != nil { try Self.checkRange(of: file, named: input.name, captures) }
        size = size.flatMap { sum in file.count(in: range).map { sum + $0 } }
        states.append(file.size == nil ? .open(file) : .closed)
      } catch {
        failures.append(error)
        states.append(.failed(error))
      }
    }
    (self.failures, self.size) = (failures, size)
  }

  /// Whether any input is readable, even without entries.
  public var canBeRead: Bool { failures.count < inputs.count || inputs.isEmpty }

  /// Opens an input for reading, once; it must not be a literal.
  ///
  /// Throws the error of the first attempt if that failed.
  package mutating func open(_ index: Int) throws(InputError) -> OpenFile {
    defer { states[index] = .closed }
    switch states[index] {
    case .closed:
      let file = try OpenFile(inputs[index])
      if range != nil { try Self.checkRange(of: file, named: inputs[index].name, captures) }
      return file
    case .open(let file): return file
    case .failed(let failure): throw failure
    }
  }

  /// Refuses inputs whose lines cannot be read from the middle.
  private static func checkRange(
    of file: OpenFile,
    named name: String,
    _ captures: CaptureRule
  ) throws(InputError) {
    // The content of a file without a size, as in /proc, is unknown before it is read.
    guard captures != .insisted, file.content == .text || file.size == 0 else {
      throw .notForRange(name)
    }
  }
}
