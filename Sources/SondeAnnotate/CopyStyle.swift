public import SondeLogs
public import SondeRecords

/// Inserts nothing: lines are copied, as far as a filter keeps them.
public struct CopyStyle: AnnotationStyle {
  /// Creates the style.
  public init() {}

  /// Cuts at line feeds.
  public func cutter(of name: String, picking picker: LinePicker?, refangs: Bool) -> any LineCutter
  {
    LogSearcher.cutter(.behindAddress, picker, refangs)
  }

  /// True.
  public var writesAnswersAlike: Bool { true }

  /// Appends nothing.
  public func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8]) {}
}
