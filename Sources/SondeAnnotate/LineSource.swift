import SondeInputs
import SondeLogs
import SondePrivacy
import SondeRecords
import SondeSystem
import Synchronization

/// Delivers the texts of inputs in blocks of whole lines to several search threads.
///
/// Reading and cutting, which take little of the time, are done by one thread at a time.
final class LineSource: SliceSource {
  private struct State {
    var inputs: InputSet
    var text: LineText?
    var opened = 0
    var number = 0
    /// The number of line ends delivered of the current input, if needed.
    var lineEnds: UInt64 = 0
    /// Finds the periods of the current input's lines; `nil` if answers depend on no time.
    var dating: LineDating?
    /// Whether the previous step had a long line.
    var isBehindLongLine = false
  }

  private let state: Mutex<State>
  private let style: any AnnotationStyle
  private let countsLines: Bool
  private let anonymizer: Anonymizer?
  private let picker: LinePicker?
  private let refangs: Bool
  private let filter: LineFilter?
  private let claims: CrawlerClaims.Finder?
  private let dating: LineDating?
  private let interrupt: WakePipe
  private let longLines = LongLineGate()

  /// Creates a source of inputs without literals; throws if no more files can be opened.
  ///
  /// `countsLines` is whether lines need their numbers.
  init(
    _ inputs: InputSet,
    style: any AnnotationStyle,
    countsLines: Bool = false,
    anonymizer: Anonymizer? = nil,
    picker: LinePicker? = nil,
    refangs: Bool = false,
    filter: LineFilter? = nil,
    claims: CrawlerClaims.Finder? = nil,
    dating: LineDating? = nil
  ) throws(InputError) {
    state = Mutex(State(inputs: inputs))
    (self.style, self.countsLines) = (style, countsLines)
    (self.anonymizer, self.picker, self.refangs) = (anonymizer, picker, refangs)
    (self.filter, self.claims, self.dating) = (filter, claims, dating)
    interrupt = try WakePipe.forInputs()
  }

  func cancel() {
    interrupt.ring()
    longLines.open()
  }

  /// Permits a long line once `number` earlier steps are taken.
  func allowLongLine(behind number: Int) { longLines.allow(number) }

  var count: Int { state.withLock { $0.number } }

  func next(into slice: inout LineSlice) throws(CancellationError) -> LogSource.Step? {
    try state.withLock { state throws(CancellationError) in
      slice.begin()
      (slice.anonymizer, slice.filter, slice.claims) = (anonymizer, filter, claims)
      // The next line is not even read before the long one is taken.
      if state.isBehindLongLine { longLines.wait(for: state.number) }
      state.isBehindLongLine = false
      if state.text == nil {
        guard state.opened < state.inputs.inputs.count else { return nil }
        if let failure = open(&state) { return Self.step(&state, .unread, (true, failure)) }
      }
      guard let end = try state.text?.read(into: &slice, interruptedBy: interrupt) else {
        return nil
      }
      // Other threads search the lines, but need the time that holds before them.
      slice.block.dating = state.dating
      state.dating?.pass(slice.block.bytes)
      slice.place = Place(line: state.lineEnds + 1, input: UInt32(state.opened - 1))
      if countsLines {
        let count = slice.block.bytes.count
        state.lineEnds += UInt64(slice.block.bytes.span.countNewlines(0..<count))
      }
      let isUnread = end.failure != nil && slice.block.bytes.isEmpty
      var step = Self.step(&state, isUnread ? .unread : .text, end)
      // No other thread reads meanwhile.
      if slice.block.bytes.count > LineBlock.longSize {
        longLines.wait(for: step.number)
        state.isBehindLongLine = true
      }
      step.position = state.text?.position ?? 0
      step.isConverted = state.text?.isConverted ?? false
      if end.isLast { step.remark = state.text?.remark }
      if end.isLast { state.text = nil }
      return step
    }
  }

  /// Opens the next input; returns why it cannot be read, if so.
  private func open(_ state: inout State) -> InputError? {
    let (index, name) = (state.opened, state.inputs.inputs[state.opened].name)
    state.opened += 1
    (state.lineEnds, state.dating) = (0, dating)
    do throws(InputError) {
      let file = try state.inputs.open(index)
      let input = InputFile(file, name: name)
      let range = state.inputs.range
      let isText = input.isPlainFile || range != nil
      let source: any ByteSource = isText ? FileText(file, name: name, range: range) : input
      let start = range == nil ? 0 : file.bounds(of: range).start
      let picker = picker?.below(start > 0 ? FileColumns(file).before(start) : NamedColumns())
      let cutter = style.cutter(of: name, picking: picker, refangs: refangs)
      state.text = LineText(input, from: source, cutter: cutter)
      return nil
    } catch {
      return error
    }
  }

  private static func step(
    _ state: inout State,
    _ kind: LogSource.Step.Kind,
    _ end: LineText.End
  ) -> LogSource.Step {
    defer { state.number += 1 }
    var step = LogSource.Step(number: state.number, input: state.opened - 1, kind: kind)
    (step.isLast, step.failure) = end
    return step
  }
}
