import Addresses
import Synchronization
import System

/// Hands the texts of inputs out in pieces, to several threads that search them.
///
/// Parts of a regular file are read by whoever searches them. Anything else, a pipe or a compressed
/// file, is read here by one thread at a time, while the others search what came before.
final class LogSource: Sendable {
  /// What is to be done next.
  struct Job: Sendable {
    enum Work: Sendable {
      /// A piece of text; the last of its input perhaps.
      case piece(LogPiece, isLast: Bool)
      /// A part of a file that is still to be read.
      case part(SharedFile, Int)
      /// An input that failed, at its begin or after what was handed out of it.
      case failure(InputFailure, isOpen: Bool)
    }

    /// The place of what is found among all that is found.
    let number: Int
    /// The input's position among all of them.
    let input: Int
    let work: Work
  }

  private enum Reading {
    case nothing
    case shared(SharedFile, next: Int)
    case stream(LogStream)
    case ended
  }

  private struct State {
    var inputs: InputSet
    var reading = Reading.nothing
    var opened = 0
    var number = 0
  }

  private let interrupt: WakePipe
  private let state: Mutex<State>

  init(inputs: InputSet) throws(InputFailure) {
    state = Mutex(State(inputs: inputs))
    interrupt = try WakePipe.forInputs()
  }

  /// Ends every wait for input.
  func cancel() { interrupt.ring() }

  /// Waits for the next thing to do.
  ///
  /// - Returns: `nil` when there is no more.
  /// - Throws: `CancellationError` after ``cancel()``.
  func next() throws(CancellationError) -> Job? {
    try state.withLock { state throws(CancellationError) in
      while true {
        switch state.reading {
        case .nothing:
          guard state.opened < state.inputs.inputs.count else {
            state.reading = .ended
            continue
          }
          state.opened += 1
          do throws(InputFailure) {
            let name = state.inputs.inputs[state.opened - 1].name
            let file = InputFile(try state.inputs.open(state.opened - 1), name: name)
            state.reading = file.shared().map { .shared($0, next: 0) } ?? .stream(LogStream(file))
          } catch {
            return job(.failure(error, isOpen: false), &state)
          }
        case .shared(let file, let part):
          state.reading = .shared(file, next: part + 1)
          return job(.part(file, part), &state)
        case .stream(let stream):
          let work = try stream.next(interruptedBy: interrupt)
          switch work {
          case .piece(_, isLast: true), .failure: state.reading = .nothing
          case .piece, .part: break
          }
          return job(work, &state)
        case .ended: return nil
        }
      }
    }
  }

  /// Tells that a file has ended, so that no further part of it is asked for.
  func end(_ file: SharedFile) {
    state.withLock { state in
      if case .shared(let current, _) = state.reading, current === file {
        file.finish()
        state.reading = .nothing
      }
    }
  }

  private func job(_ work: Job.Work, _ state: inout State) -> Job {
    state.number += 1
    return Job(number: state.number - 1, input: state.opened - 1, work: work)
  }
}

/// A pipe or compressed file on its way through ``LogSource``.
final class LogStream {
  /// The bytes of a piece, where they come fast.
  private static let pieceSize = 1 << 20

  private let file: InputFile
  /// What is left of the text handed out, and from where on it is still to be searched.
  private var rest: [UInt8] = []
  private var searched = 0
  private var failure: InputFailure?

  init(_ file: InputFile) { self.file = file }

  /// Waits for text and takes what has come of it, up to a place where it can be cut.
  func next(interruptedBy interrupt: WakePipe) throws(CancellationError) -> LogSource.Job.Work {
    if let failure { return .failure(failure, isOpen: true) }
    var buffer = rest
    rest = []
    var deadline: ContinuousClock.Instant?
    while true {
      let fill = file.read(
        into: &buffer,
        atMost: Self.pieceSize,
        until: deadline,
        interruptedBy: interrupt
      )
      switch fill {
      case .more where buffer.count < Self.pieceSize: deadline = .now
      case .more, .silence:
        if let piece = cut(&buffer) { return .piece(piece, isLast: false) }
        deadline = nil
      case .end:
        let end = LogCut(offset: buffer.count, isClean: true)
        return .piece(piece(&buffer, until: end), isLast: true)
      case .failure(let failure):
        // The last word may be cut in the middle of an address, which would be another one.
        self.failure = failure
        let cut =
          failure.isBehindText
          ? LogCut(offset: buffer.count, isClean: true) : LogCut.lastClean(in: buffer.span)
        return .piece(piece(&buffer, until: cut), isLast: false)
      case .interrupted: throw CancellationError()
      }
    }
  }

  /// Takes the text up to its last cut, and keeps what follows for the next piece.
  private func cut(_ buffer: inout [UInt8]) -> LogPiece? {
    guard let cut = LogCut.last(in: buffer.span), cut.offset > searched else { return nil }
    let context = cut.isClean ? cut.offset : max(0, cut.offset - LogCut.reach)
    rest = Array(buffer[context...])
    let piece = piece(&buffer, until: cut)
    searched = cut.offset - context
    return piece
  }

  private func piece(_ buffer: inout [UInt8], until cut: LogCut) -> LogPiece {
    defer { buffer = [] }
    return LogPiece(bytes: buffer, count: buffer.count, start: searched, cut: cut)
  }
}
