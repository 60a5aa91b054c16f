public import SondeLogs
public import SondeRecords

/// Adds a column per distinct address at the end of each line, after a tab: `8.8.8.8 [US]`.
public struct EndStyle: AnnotationStyle {
  private let brackets: BracketStyle
  private let address: RecordEncoder
  private let (start, end): ([UInt8], [UInt8])

  /// Creates the style; `dims` is whether insertions are dimmed for a terminal (ECMA-48 §8.3.117).
  ///
  /// `encoder` and `added` are as in ``BracketStyle``.
  public init(encoder: RecordEncoder, added: RecordEncoder? = nil, dims: Bool) {
    address = RecordEncoder(format: .inline, fields: [.ip], anonymizer: encoder.anonymizer)
    brackets = BracketStyle(encoder: encoder, added: added, dims: false)
    start = Array((dims ? "\t\u{1b}[2m" : "\t").utf8)
    end = Array((dims ? "\u{1b}[22m" : "").utf8)
  }

  /// Cuts at line feeds.
  public func cutter(of name: String, picking picker: LinePicker?, refangs: Bool) -> any LineCutter
  {
    LogSearcher.cutter(.endOfLine, picker, refangs)
  }

  /// True unless networks or columns of sources are shown.
  public var writesAnswersAlike: Bool { brackets.writesAnswersAlike }

  /// Appends a tab, the address, and its values in brackets.
  public func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8]) {
    output += start
    address.append(record, bytes: bytes, to: &output)
    brackets.append(record, bytes: bytes, to: &output)
    output += end
  }
}
