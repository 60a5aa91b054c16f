public import SondeInputs
public import SondeRecords

/// A style of annotating a log: where in its lines something is inserted, and what that is.
///
/// A line is what goes out together; in a table it is a row, which may hold line feeds. Three steps,
/// each of which knows nothing of the others:
///
///     text ─▶ LineCutter.cut ─▶ LineSearcher.search ─▶ answers ─▶ append ─▶ LineBlock.write
///             whole lines       lines, insertions       are found   encoded   put between
///
/// 1. One thread at a time reads an input and has it cut behind whole lines:
///    ``cutter(of:behindOpenLine:)``. Only here is a line seen after the one before it, so what a line
///    needs from earlier ones (the header of a table) the cutter knows, and gives it to its searcher.
/// 2. A block of whole lines is searched, many blocks at once, and gets its insertions: behind which
///    byte, about which address, between which words of its own.
/// 3. What is known of an address is encoded, once for all places that it stands at, and put between
///    the bytes of the lines. A line goes out when all its insertions are known, or as it came where
///    one of them is late.
///
/// To add a style: a file with a type for this and one for its ``LineSearcher``, and its row among
/// the styles of the command.
public protocol AnnotationStyle: Sendable {
  /// Begins an input.
  ///
  /// - Parameters:
  ///   - name: What messages call it.
  ///   - isBehindOpenLine: Whether the input before it ends within a line.
  /// - Returns: What cuts its text.
  func cutter(of name: String, behindOpenLine isBehindOpenLine: Bool) -> any LineCutter

  /// Appends what is inserted about an entry, without the words around it that its place needs.
  ///
  /// It may depend on nothing but the record: every place of an address gets the same bytes, which
  /// ``LineBlock/rewrite(_:)`` may make others of.
  /// - Parameters:
  ///   - record: What is known, of an address or of an item that is none; it has no line and no
  ///     input.
  ///   - bytes: The bytes of its texts.
  ///   - output: Where to append.
  func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8])

  /// Whether what is inserted about addresses with the same answer differs in the addresses alone.
  var writesAnswersAlike: Bool { get }

  /// What is inserted about an address of which nothing is known when the run is interrupted, in a line
  /// that has gone out up to there.
  var absent: [UInt8] { get }
}

extension AnnotationStyle {
  /// Nothing.
  public var absent: [UInt8] { [] }

  /// Not said, so that each is encoded.
  public var writesAnswersAlike: Bool { false }
}

extension RecordEncoder {
  /// Whether what it writes of addresses with the same answer differs in the addresses alone.
  var writesAnswersAlike: Bool {
    !fields.contains { $0 == .network || $0.isAdded || Field.traffic.contains($0) }
  }
}

/// Cuts the text of one input behind whole lines; one thread at a time uses it, in the text's order.
public protocol LineCutter {
  /// Finds the end of the last whole line.
  ///
  /// - Parameters:
  ///   - text: What follows the last cut.
  ///   - searched: How many of its bytes were among those given before, so that a cutter that has
  ///     kept its state need not look at them again; no line ends in them.
  ///   - isLast: Whether nothing follows: then all of it is whole lines.
  /// - Returns: The offset behind the last whole line; 0 where there is none yet.
  /// - Throws: ``InputError`` where the options do not fit the input: that ends the run
  ///   with status 2.
  mutating func cut(
    _ text: Span<UInt8>,
    from searched: Int,
    isLast: Bool
  ) throws(InputError) -> Int

  /// Finds the insertions in the lines that were cut off last.
  var searcher: any LineSearcher { get }

  /// Finds the insertions in a line that breaks off with its input; `nil` where it passes unchanged.
  var breakSearcher: (any LineSearcher)? { get }

  /// What a person should know of the input, once it has ended.
  var remark: String? { get }

  /// Finds the end of a line that was too long to be cut: it passes unchanged, and is not searched.
  ///
  /// - Parameters:
  ///   - text: What follows the bytes given before, which were dropped.
  ///   - isLast: Whether nothing follows.
  /// - Returns: The offset behind the line; `nil` where it ends later.
  mutating func skip(_ text: Span<UInt8>, isLast: Bool) -> Int?
}

extension LineCutter {
  var breakSearcher: (any LineSearcher)? { nil }
  var remark: String? { nil }
}

/// Finds where something is inserted in whole lines, on any thread.
public protocol LineSearcher: Sendable {
  /// Counts the lines of a block, and adds those that something is inserted in.
  func search(_ block: inout LineBlock)
}

/// Cuts lines that end with a line feed each.
struct PlainLineCutter: LineCutter {
  let searcher: any LineSearcher
  var breakSearcher: (any LineSearcher)?

  func cut(_ text: Span<UInt8>, from searched: Int, isLast: Bool) -> Int {
    if isLast { return text.count }
    return text.extracting(searched...).lastNewline.map { searched + $0 + 1 } ?? 0
  }

  func skip(_ text: Span<UInt8>, isLast: Bool) -> Int? { text.firstNewline(from: 0).map { $0 + 1 } }
}
