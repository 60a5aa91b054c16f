/// The inputs of a command, each opened once before anything is written.
///
/// Regular files are closed again, so that there may be more of them than a process may have open;
/// pipes are kept, as their writers would not come a second time.
public struct InputSet: Sendable {
  /// The inputs in their order.
  public let inputs: [Input]

  /// Whether captures are read.
  package let captures: CaptureRule

  /// Whether databases of records are read.
  let hasDatabases: Bool

  /// The bytes of each file of which the lines that begin there are read; `nil` for all.
  package let range: Range<Int>?

  /// The most bytes that a packed input may unpack to; no more of it is read, and that is told.
  public var longestUnpacked = UInt64.max

  /// Why some of them cannot be read, in their order.
  public let failures: [InputError]

  /// The bytes of all inputs that can be read; `nil` when one of them is a pipe.
  package let size: UInt64?

  private var states: [State] = []

  private enum State {
    case closed
    case open(OpenFile)
    case failed(InputError)
  }

  /// Opens inputs; what is a literal needs no opening.
  ///
  /// - Parameters:
  ///   - inputs: The inputs in their order.
  ///   - captures: Whether captures of packets are read.
  ///   - hasDatabases: Whether databases of records are read.
  ///   - range: The bytes of which the lines that begin there are read, of regular files that are
  ///     text as it lies on the disk; all where it is `nil`.
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
        let file = try Self.open(input) { format in
          switch captures {
          case .insisted: true
          case .recognized where format.isCapture: true
          case .recognized, .refused: hasDatabases && format == .database
          }
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

  /// Whether there is anything to read, if only inputs without an entry.
  public var canBeRead: Bool { failures.count < inputs.count || inputs.isEmpty }

  /// Opens an input to be read, once.
  ///
  /// - Parameter index: Its place; no literal's.
  /// - Returns: The open file.
  /// - Throws: ``InputError``, the one of the first time where it failed then.
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

  /// Refuses what has no lines that can be read from its middle on.
  private static func checkRange(
    of file: OpenFile,
    named name: String,
    _ captures: CaptureRule
  ) throws(InputError) {
    // Of a file without a size, as those of /proc, the content is not known before it is read.
    guard captures != .insisted, file.content == .text || file.size == 0 else {
      throw .notForRange(name)
    }
  }

  private static func open(
    _ input: Input,
    isRead: (ForeignFormat) -> Bool
  ) throws(InputError) -> OpenFile {
    let file = try OpenFile(input)
    if case .foreign(let format) = file.content, !isRead(format) {
      throw InputError(name: input.name, reason: format.reason(for: input.name))
    }
    return file
  }
}
