/// Cuts bytes that come bit by bit into lines, and those that are too long after their beginning.
package struct LineSplitter: Sendable {
  private let longest: Int
  /// The beginning of a line whose end is not there yet.
  private var rest: [UInt8] = []

  /// Creates a cutter of lines of at most so many bytes.
  package init(longest: Int) { self.longest = longest }

  /// The lines that end in some bytes, without their ends.
  package mutating func cut(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: 0x0a) {
      append(bytes[start..<end])
      lines.append(rest[...])
      (rest, start) = ([], end + 1)
    }
    append(bytes[start...])
    return lines
  }

  /// The last line, if it has no end.
  package mutating func takeRest() -> ArraySlice<UInt8>? {
    defer { rest = [] }
    return rest.isEmpty ? nil : rest[...]
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    rest += bytes.prefix(longest - rest.count)
  }
}
