import SondeAddresses
package import SondeInputs
package import SondeRecords
package import SondeSystem
import Synchronization

/// Delivers the texts of inputs in slices to several search threads.
///
/// Slices of a regular file are read by the thread that searches them. Other inputs are read by one
/// thread at a time, while the others search earlier slices.
package final class LogSource: SliceSource {
  /// A step of the source.
  package struct Step: Sendable {
    package enum Kind: Sendable {
      case text
      /// Records, which are already counted.
      case records
      /// A literal of the command line.
      case literal
      /// An unreadable input.
      case unread
    }

    package let number: Int
    /// The number of the input.
    package let input: Int
    package var kind: Kind
    /// Whether the input ends here.
    package var isLast = false
    package var failure: InputError?
    /// Whether the text was UTF-16.
    package var isConverted = false
    /// A remark about the input for people.
    package var remark: String?
    /// The end of the slice in the input on disk.
    package var position: UInt64 = 0
    /// The bytes read, as far as a journal needs them.
    var taken = Taken.none

    package init(number: Int, input: Int, kind: Kind) {
      (self.number, self.input, self.kind) = (number, input, kind)
    }
  }

  /// The bytes read for a slice.
  package enum Taken: Sendable {
    case none
    /// The checksum of the slice.
    case slice(Checksum)
    /// The checksum of the input so far.
    case all(SlicedChecksum)
  }

  private enum Reading {
    case nothing
    case file(FileSlices, next: Int)
    /// Until its beginning shows whether it is a capture.
    case unrecognized(InputFile)
    case stream(StreamSlices, InputFile)
    /// Until its beginning shows its content.
    case unknown(InputBeginning)
    case records(RecordReader)
    case table(RecordDatabaseReader)
    case capture(PacketSlices)
  }

  private struct State {
    var inputs: InputSet
    var reading = Reading.nothing
    var opened = 0
    var number = 0
  }

  private let state: Mutex<State>
  private let sums: Bool
  private let book: (any RecordBook)?
  /// Whether slices have whole lines.
  private let keepsLines: Bool
  private let pick: Pick
  private let picker: LinePicker?
  private let refangs: Bool
  private let interrupt: WakePipe

  /// Creates a source of inputs; throws if no more files can be opened.
  ///
  /// `sums` adds the checksums that a journal needs. Without a `book`, every input is read as a
  /// log.
  package init(
    _ inputs: InputSet,
    sums: Bool = false,
    records book: (any RecordBook)? = nil,
    pick: Pick = .all,
    findings: PickFindings = PickFindings(),
    refangs: Bool = false,
    keepsLines: Bool = false
  ) throws(InputError) {
    state = Mutex(State(inputs: inputs))
    (self.sums, self.book) = (sums, book)
    (self.refangs, self.keepsLines) = (refangs, keepsLines || pick != .all)
    (self.pick, picker) = (pick, pick == .all ? nil : LinePicker(pick, findings))
    interrupt = try WakePipe.forInputs()
  }

  package func cancel() { interrupt.ring() }

  package func next(into slice: inout LogSlice) throws(CancellationError) -> Step? {
    slice.clear()
    slice.refangs = refangs
    guard let (start, file) = try begin(&slice) else { return nil }
    var step = start
    guard let (file, index) = file else { return step }
    // Several threads do this concurrently.
    let reading = file.read(index, into: &slice)
    (step.isLast, step.failure) = (reading.isLast, reading.failure)
    step.position = UInt64(clamping: index * FileSlices.sliceSize + reading.own.count)
    if sums {
      var sum = Checksum()
      unsafe sum.update(slice.bytes.span.extracting(reading.own).bytes)
      step.taken = .slice(sum)
    }
    if reading.isLast { end(file) }
    return step
  }

  /// The next step, and the slice of a file that remains to be read.
  private func begin(
    _ slice: inout LogSlice
  ) throws(CancellationError) -> (Step, file: (FileSlices, Int)?)? {
    try state.withLock { state throws(CancellationError) in
      if case .nothing = state.reading {
        guard state.opened < state.inputs.inputs.count else { return nil }
        if let step = open(&state) { return (step, nil) }
      }
      if case .unknown(let beginning) = state.reading, let step = try turn(beginning, &state) {
        return (step, nil)
      }
      slice.input = state.opened - 1
      if case .unrecognized(let file) = state.reading, let step = try recognize(file, &state) {
        return (step, nil)
      }
      var step = Self.step(&state)
      switch state.reading {
      case .nothing, .unknown, .unrecognized: break
      case .file(let file, let index):
        state.reading = .file(file, next: index + 1)
        return (step, (file, index))
      case .stream(let stream, let file):
        (step.isLast, step.failure) = try stream.read(into: &slice, interruptedBy: interrupt)
        (step.position, step.taken) = (file.position(unused: stream.unused), .all(file.taken))
        if !file.isPlain { slice.base = nil }
        if step.failure != nil, !stream.hasText { step.kind = .unread }
      case .records(let records):
        (step.isLast, step.failure) = try records.read(interruptedBy: interrupt)
        (step.kind, step.position) = (.records, records.position)
      case .table(let table):
        (step.isLast, step.failure) = table.read()
        (step.kind, step.position) = (.records, table.position)
      case .capture(let capture):
        (step.isLast, step.failure) = try capture.read(into: &slice, interruptedBy: interrupt)
        (step.position, step.taken) = capture.progress
        if step.failure != nil, !capture.hasPackets { step.kind = .unread }
      }
      if step.isLast { state.reading = .nothing }
      return (step, nil)
    }
  }

  /// Reads until the content of an input is known; returns the only step of an unreadable one.
  private func recognize(
    _ file: InputFile,
    _ state: inout State
  ) throws(CancellationError) -> Step? {
    var beginning: [UInt8] = []
    let fill = file.recognize(into: &beginning, interruptedBy: interrupt)
    if case .interrupted = fill { throw CancellationError() }
    guard file.isCapture else {
      let stream = StreamSlices(
        file,
        beginning: beginning,
        fill,
        picker: picker,
        keepsLines: keepsLines
      )
      state.reading = .stream(stream, file)
      return nil
    }
    return turn(file, toCapture: beginning, fill, &state)
  }

  private func turn(
    _ file: InputFile,
    toCapture beginning: [UInt8],
    _ fill: Fill,
    _ state: inout State
  ) -> Step? {
    let index = state.opened - 1
    do throws(InputError) {
      let name = state.inputs.inputs[index].name
      state.reading = .capture(
        try PacketSlices(
          file,
          name: name,
          beginning: beginning,
          fill,
          pick: pick
        )
      )
      return nil
    } catch {
      state.reading = .nothing
      return Self.step(&state, .unread, error)
    }
  }

  /// Opens the next input; returns the only step of one that is not a readable text.
  private func open(_ state: inout State) -> Step? {
    let (index, input) = (state.opened, state.inputs.inputs[state.opened])
    state.opened += 1
    if case .literal = input { return Self.step(&state, .literal) }
    do throws(InputError) {
      let file = try state.inputs.open(index)
      let text = InputFile(
        file,
        name: input.name,
        captures: state.inputs.captures,
        longestUnpacked: state.inputs.longestUnpacked
      )
      if let book, case .file(let path) = input, text.isPlainDatabase {
        state.reading = .table(try RecordDatabaseReader(path: path, size: file.size ?? 0, book))
      } else if !sums, text.isPlainCapture {
        let slices = try PacketSlices(file, name: input.name, pick: pick)
        state.reading = .capture(slices)
      } else if let book {
        state.reading = .unknown(InputBeginning(file, text, name: input.name, book))
      } else if text.isPlainFile || state.inputs.range != nil {
        let range = state.inputs.range
        let slices = FileSlices(
          file,
          name: input.name,
          range: range,
          picker: picker,
          keepsLines: keepsLines
        )
        state.reading = .file(slices, next: 0)
      } else {
        state.reading = .unrecognized(text)
      }
      return nil
    } catch {
      return Self.step(&state, .unread, error)
    }
  }

  /// Selects the reader of an input by its beginning; returns the only step of an unreadable one.
  private func turn(
    _ beginning: InputBeginning,
    _ state: inout State
  ) throws(CancellationError) -> Step? {
    let reading: Reading
    switch try beginning.read(interruptedBy: interrupt) {
    case .records(let records): reading = .records(records)
    case .plainLog:
      let slices = FileSlices(
        beginning.open,
        name: beginning.name,
        picker: picker,
        keepsLines: keepsLines
      )
      reading = .file(slices, next: 0)
    case .log(let source):
      reading = .stream(
        StreamSlices(source, picker: picker, keepsLines: keepsLines),
        beginning.file
      )
    case .capture(let bytes, let fill):
      return turn(beginning.file, toCapture: bytes, fill, &state)
    case .failure(let failure):
      state.reading = .nothing
      return Self.step(&state, .unread, failure)
    }
    state.reading = reading
    return nil
  }

  private static func step(
    _ state: inout State,
    _ kind: Step.Kind = .text,
    _ failure: InputError? = nil
  ) -> Step {
    defer { state.number += 1 }
    var step = Step(number: state.number, input: state.opened - 1, kind: kind)
    (step.isLast, step.failure) = (kind != .text, failure)
    return step
  }

  /// Continues with the next input after the end of a file.
  private func end(_ file: FileSlices) {
    state.withLock { state in
      if case .file(let current, _) = state.reading, current === file {
        file.finish()
        state.reading = .nothing
      }
    }
  }

  package var count: Int { state.withLock { $0.number } }
}
