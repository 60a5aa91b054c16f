import SondeAddresses
public import SondeLogs
public import SondeRecords

/// Inserts information in brackets after each address: `8.8.8.8 [US, Mountain View]`.
public struct BracketStyle: AnnotationStyle {
  private let encoder: RecordEncoder
  private let added: RecordEncoder?
  private let (start, end): ([UInt8], [UInt8])

  /// Creates the style; `dims` is whether insertions are dimmed for a terminal (ECMA-48 §8.3.117).
  ///
  /// `encoder` writes the values of an answer, on one line and for people, and `added` the values
  /// of sources if there is no answer.
  public init(encoder: RecordEncoder, added: RecordEncoder? = nil, dims: Bool) {
    (self.encoder, self.added) = (encoder, added)
    start = Array((dims ? " \u{1b}[2m[" : " [").utf8)
    end = Array((dims ? "]\u{1b}[22m" : "]").utf8)
  }

  /// Cuts at line feeds.
  public func cutter(of name: String, picking picker: LinePicker?, refangs: Bool) -> any LineCutter
  {
    LogSearcher.cutter(.behindAddress, picker, refangs)
  }

  /// True unless networks or columns of sources are shown.
  public var writesAnswersAlike: Bool { encoder.writesAnswersAlike && added == nil }

  /// Appends the values in brackets, or the reason why there are none.
  public func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8]) {
    output += start
    let text = output.count
    switch record.status {
    case .ok: encoder.append(record, bytes: bytes, to: &output)
    case .reserved: output += (record.address?.specialPurpose?.name ?? "reserved").utf8
    case .networkLost: output += "network lost".utf8
    case .unknown, .failed, .invalid: output += record.status.name.utf8
    }
    if record.status != .ok, let added {
      let comma = output.count
      output += ", ".utf8
      added.append(record, bytes: bytes, to: &output)
      if output.count == comma + 2 { output.removeLast(2) }
    }
    // So that the end is found when brackets are removed.
    for index in text..<output.count where output[index] == UInt8(ascii: "]") {
      output[index] = UInt8(ascii: ")")
    }
    output += end
  }
}
