public import SondeInputs
public import SondeRecords

/// A style of annotating a log, which defines what is inserted into its lines and where.
///
/// A line is written as a unit; in a table it is a row, which may contain line feeds. There are
/// three independent steps:
///
///     text ─▶ LineCutter.cut ─▶ LineSearcher.search ─▶ answers ─▶ append ─▶ LineBlock.write whole
///     lines       lines, insertions       are found   encoded   put between
///
/// 1. One thread at a time reads an input and has it cut behind whole lines:
///   ``cutter(of:behindOpenLine:)``. Only here is a line seen after the one before it, so what a
///   line needs from earlier ones (the header of a table) the cutter knows, and gives it to its
///   searcher.
/// 2. A block of whole lines is searched, many blocks at once, and gets its insertions: behind
///   which byte, about which address, between which words of its own.
/// 3. What is known of an address is encoded, once for all places that it stands at, and put
///   between the bytes of the lines. A line goes out when all its insertions are known, or as it
///   came where one of them is late.
///
/// To add a style: a file with a type for this and one for its ``LineSearcher``, and its row among
/// the styles of the command.
public protocol AnnotationStyle: Sendable {
  /// Starts an input.
  ///
  /// - Parameters:
  ///   - name: Its name in messages.
  ///   - isBehindOpenLine: Whether the previous input ends within a line.
  /// - Returns: The cutter of its text.
  func cutter(of name: String, behindOpenLine isBehindOpenLine: Bool) -> any LineCutter

  /// Appends the insertion for an entry, without the surrounding words that its position needs.
  ///
  /// It must depend on nothing but the record: all positions of an address get the same bytes,
  /// which ``LineBlock/rewrite(_:)`` may convert.
  /// - Parameters:
  ///   - record: The information about an address or an invalid item, without line and input.
  ///   - bytes: The bytes of its texts.
  ///   - output: Receives the insertion.
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
    !fields.contains { $0 == .network || $0.isAdded || Field.traffic.contains($0) }
  }
}

/// Cuts the text of one input after whole lines; used by one thread at a time, in order.
public protocol LineCutter {
  /// Finds the end of the last whole line.
  ///
  /// - Parameters:
  ///   - text: The text after the last cut.
  ///   - searched: The number of its bytes that were passed before, in which no line ends.
  ///   - isLast: Whether the input ends: then all of it is whole lines.
  /// - Returns: The offset after the last whole line; 0 if there is none yet.
  /// - Throws: ``InputError`` if the options do not match the input, which ends the run with status
  ///   2.
  mutating func cut(
    _ text: Span<UInt8>,
    from searched: Int,
    isLast: Bool
  ) throws(InputError) -> Int

  /// The searcher of the lines cut last.
  var searcher: any LineSearcher { get }

  /// The searcher of a truncated last line; `nil` if it is copied unchanged.
  var breakSearcher: (any LineSearcher)? { get }

  /// A remark about the input for people, after its end.
  var remark: String? { get }

  /// Finds the end of a line that was too long to be searched, and is copied unchanged.
  ///
  /// - Parameters:
  ///   - text: The text after the bytes passed before, which were dropped.
  ///   - isLast: Whether the input ends.
  /// - Returns: The offset after the line; `nil` if it ends later.
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

/// Cuts lines at line feeds.
struct PlainLineCutter: LineCutter {
  let searcher: any LineSearcher
  var breakSearcher: (any LineSearcher)?

  func cut(_ text: Span<UInt8>, from searched: Int, isLast: Bool) -> Int {
    if isLast { return text.count }
    return text.extracting(searched...).lastNewline.map { searched + $0 + 1 } ?? 0
  }

  func skip(_ text: Span<UInt8>, isLast: Bool) -> Int? { text.firstNewline(from: 0).map { $0 + 1 } }
}
