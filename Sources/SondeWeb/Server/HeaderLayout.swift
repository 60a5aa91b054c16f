/// The positions of a header's texts in the received bytes.
///
/// Before version 1.0, libmicrohttpd cuts a text at a NUL, treats a line that begins with a NUL as
/// the end of the header, and joins a folded line to the name. A proxy that parses the whole header
/// would disagree about the end of the body (RFC 9112 §11.2). The library parses in place, so text
/// that it does not report is still between the texts that it reports.
struct HeaderLayout: Equatable {
  /// A field's name and value.
  struct Field: Equatable {
    let name: Range<Int>
    let value: Range<Int>
  }

  /// The target of the request line, up to its first NUL.
  let target: Range<Int>

  /// The version at the end of the request line.
  let version: Range<Int>
  var fields: [Field] = []

  /// Whether the texts and the separators between them make up the whole header.
  ///
  /// The header reaches from the method to the end of the empty line; each separator in it was
  /// overwritten with NULs: a CR LF with two.
  func covers(_ header: Span<UInt8>) -> Bool {
    guard target.upperBound + 1 == version.lowerBound else { return false }
    var end = version.upperBound
    for field in fields {
      guard isLineEnd(header, end, field.name.lowerBound),
        isColon(header, field.name.upperBound, field.value.lowerBound)
      else { return false }
      end = field.value.upperBound
    }
    return isLineEnd(header, end, end + 2) && isLineEnd(header, end + 2, header.count)
  }

  private func isLineEnd(_ header: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    start + 2 == end && end <= header.count && header[start] == 0 && header[start + 1] == 0
  }

  /// Whether the range is a former colon, followed only by blanks and tabs.
  private func isColon(_ header: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard start < end, end <= header.count, header[start] == 0 else { return false }
    return (start + 1..<end).allSatisfy { header[$0] == 0x20 || header[$0] == 0x09 }
  }
}
