/// Where the texts of a header lie in the bytes that came.
///
/// Before its version 1.0, libmicrohttpd cuts a text at a NUL, takes a line that begins with a NUL for
/// the end of the header, and joins a folded line to the name. A proxy that reads such a header in full
/// disagrees about where the body ends (RFC 9112 §11.2). The library reads in place: what it does not
/// report still lies between the texts that it reports.
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

  /// The fields, in order.
  var fields: [Field] = []

  /// Compares the texts, and the separators between them, with a header.
  ///
  /// - Parameter header: The bytes from the method to the end of the empty line, in which each
  ///   separator was overwritten by NULs: a CR LF by two.
  /// - Returns: Whether they are all of it.
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

  /// Whether there is what was a colon, and then blanks and tabs, if anything.
  private func isColon(_ header: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard start < end, end <= header.count, header[start] == 0 else { return false }
    return (start + 1..<end).allSatisfy { header[$0] == 0x20 || header[$0] == 0x09 }
  }
}
