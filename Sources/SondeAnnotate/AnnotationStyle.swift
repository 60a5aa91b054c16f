public import SondeInputs
public import SondeLogs
public import SondeRecords

/// A style of annotating a log, which defines what is inserted into its lines and where.
///
/// A line is written as a unit; in a table it is a row, which may contain line feeds.
///
/// 1. One thread at a time reads an input and cuts it after whole lines, by its
///   ``cutter(of:picking:)``. Only the cutter sees the lines in order, so it passes on to its
///   searcher what a line needs from earlier ones, such as the header of a table.
/// 2. Many blocks of whole lines are searched at once. The searcher adds the insertions: each with
///   its offset, its address, and the words of the style that surround it.
/// 3. The answer about an address is encoded once for all its positions, and inserted into the
///   lines. A line is written when all its insertions are known, or unchanged if one is late.
///
/// To add a style, add a file with a type for it and one for its ``LineSearcher``, and its row in
/// the styles of the command.
public protocol AnnotationStyle: Sendable {
  /// Starts an input, and returns the cutter of its text; `name` is for messages.
  func cutter(of name: String, picking picker: LinePicker?, refangs: Bool) -> any LineCutter

  /// Appends the insertion for an entry, without the surrounding words that its position needs.
  ///
  /// It must depend on nothing but the record, which has no line and input: all positions of an
  /// address get the same bytes, which ``LineBlock/rewrite(_:)`` may convert.
  func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8])

  /// Whether insertions for the same answer differ only in the address.
  var writesAnswersAlike: Bool { get }

  /// The insertion for an unknown address in a partially written line when the run is interrupted.
  var absent: [UInt8] { get }
}

extension AnnotationStyle {
  /// Empty by default.
  public var absent: [UInt8] { [] }

  /// False by default, so that each is encoded.
  public var writesAnswersAlike: Bool { false }
}

extension RecordEncoder {
  /// Whether records with the same answer differ only in the address.
  var writesAnswersAlike: Bool {
    !fields.contains { $0 == .network || $0.isAdded || Field.totals.contains($0) }
  }
}

/// Cuts the text of one input after whole lines; used by one thread at a time, in order.
public protocol LineCutter {
  /// Finds the end of the last whole line after the last cut; 0 if there is none yet.
  ///
  /// No line ends in the first `searched` bytes. At the end of the input, if `isLast`, all of the
  /// text is whole lines. Throws ``InputError`` if the options do not match the input, which ends
  /// the run with status 2.
  mutating func cut(_ text: Span<UInt8>, from searched: Int, isLast: Bool) throws(InputError) -> Int

  /// The searcher of the lines cut last.
  var searcher: any LineSearcher { get }

  /// The searcher of a truncated last line; `nil` if it is copied unchanged.
  var breakSearcher: (any LineSearcher)? { get }

  /// A remark about the input for people, after its end.
  var remark: String? { get }

  /// Finds the end of a line that was too long to be searched, and is copied unchanged.
  ///
  /// The bytes before `text` were dropped. Returns the offset after the line; `nil` if it ends
  /// later.
  mutating func skip(_ text: Span<UInt8>, isLast: Bool) -> Int?
}

extension LineCutter {
  var breakSearcher: (any LineSearcher)? { nil }
  var remark: String? { nil }
}

/// Finds the insertions in whole lines, on any thread.
public protocol LineSearcher: Sendable {
  /// Counts the lines of a block, and adds those with insertions.
  func search(_ block: inout LineBlock)
}

/// A searcher that may omit addresses which `--pick` does not choose.
protocol PickingSearcher: LineSearcher {
  /// `nil` if all are chosen.
  var picker: LinePicker? { get set }
}

/// Cuts lines at line feeds, and passes on to the next lines which columns their text names.
struct PickingLineCutter<Searcher: PickingSearcher>: LineCutter {
  private var lines = PlainLineCutter(searcher: NoSearcher())
  private var cutSearcher: Searcher
  private let breakingSearcher: Searcher?
  private var next: LinePicker

  init(_ searcher: Searcher, breaking: Searcher?, _ picker: LinePicker) {
    (cutSearcher, breakingSearcher, next) = (searcher, breaking, picker)
  }

  var searcher: any LineSearcher { cutSearcher }

  var breakSearcher: (any LineSearcher)? {
    guard var searcher = breakingSearcher else { return nil }
    searcher.picker = next
    return searcher
  }

  mutating func cut(_ text: Span<UInt8>, from searched: Int, isLast: Bool) -> Int {
    let end = lines.cut(text, from: searched, isLast: isLast)
    guard end > 0 else { return 0 }
    cutSearcher.picker = next
    var columns = next.columns
    columns.readAll(text, in: 0..<end)
    next = next.below(columns)
    return end
  }

  mutating func skip(_ text: Span<UInt8>, isLast: Bool) -> Int? { lines.skip(text, isLast: isLast) }

  private struct NoSearcher: LineSearcher { func search(_ block: inout LineBlock) {} }
}

/// Cuts lines at line feeds.
struct PlainLineCutter: LineCutter {
  let searcher: any LineSearcher
  var breakSearcher: (any LineSearcher)?

  func cut(_ text: Span<UInt8>, from searched: Int, isLast: Bool) -> Int {
    if isLast { return text.count }
    return text.extracting(searched...).lastIndex(of: 0x0a).map { searched + $0 + 1 } ?? 0
  }

  func skip(_ text: Span<UInt8>, isLast: Bool) -> Int? { text.firstNewline(from: 0).map { $0 + 1 } }
}
