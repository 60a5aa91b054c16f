/// The inputs of a command, each opened once before anything is written.
///
/// Regular files are closed again, so that there may be more of them than a process may have open;
/// pipes are kept, as their writers would not come a second time.
public struct InputSet: Sendable {
  /// The inputs in their order.
  public let inputs: [Input]

  /// Whether captures are read.
  let captures: CaptureRule

  /// Whether databases of records are read.
  let hasDatabases: Bool

  /// Why some of them cannot be read, in their order.
  public let failures: [InputError]

  /// The bytes of all inputs that can be read; `nil` when one of them is a pipe.
  let size: UInt64?

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
  public init(
    opening inputs: [Input],
    captures: CaptureRule = .refused,
    hasDatabases: Bool = false
  ) {
    (self.inputs, self.captures, self.hasDatabases) = (inputs, captures, hasDatabases)
    var (failures, size): ([InputError], UInt64?) = ([], 0)
    for input in inputs {
      if case .literal = input {
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
        size = size.flatMap { sum in file.remaining.map { sum + $0 } }
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
  mutating func open(_ index: Int) throws(InputError) -> OpenFile {
    defer { states[index] = .closed }
    switch states[index] {
    case .closed: return try OpenFile(inputs[index])
    case .open(let file): return file
    case .failed(let failure): throw failure
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
