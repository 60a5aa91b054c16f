internal import CSondeMicroHTTPD
import Glibc

/// The texts of a request line in libmicrohttpd's memory.
@unsafe struct RequestLine {
  let method: UnsafePointer<CChar>
  /// The URL, which ends before the query.
  let url: UnsafePointer<CChar>
  let version: UnsafePointer<CChar>
}

/// Reads a header from libmicrohttpd's memory, on its thread.
struct HeaderReader {
  private(set) var fields = HeaderFields()
  private var layout: HeaderLayout
  /// The address of the method, the start of the header.
  private let start: Int

  /// The length of the target includes the query, up to the first NUL.
  init(_ line: RequestLine, targetLength: Int) {
    let start = unsafe Int(bitPattern: line.method)
    self.start = start
    layout = HeaderLayout(
      target: Self.range(unsafe Int(bitPattern: line.url), targetLength, from: start),
      version: unsafe Self.range(of: line.version, from: start)
    )
  }

  mutating func append(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) {
    unsafe fields.append(String(cString: name), String(cString: value))
    layout.fields.append(
      HeaderLayout.Field(
        name: unsafe Self.range(of: name, from: start),
        value: unsafe Self.range(of: value, from: start)
      )
    )
  }

  /// Whether the reported texts make up the whole header.
  ///
  /// Its size is the number of bytes from the method to the end, all in one block of memory.
  func isWhole(size: Int) -> Bool {
    guard size > 0 else { return false }
    let pointer = unsafe UnsafePointer<UInt8>(bitPattern: start)
    return unsafe layout.covers(UnsafeBufferPointer(start: pointer, count: size).span)
  }

  private static func range(of text: UnsafePointer<CChar>, from start: Int) -> Range<Int> {
    unsafe range(Int(bitPattern: text), strlen(text), from: start)
  }

  /// The range of a text relative to the start; empty if it is in other memory.
  private static func range(_ address: Int, _ length: Int, from start: Int) -> Range<Int> {
    let offset = address &- start
    let (end, isElsewhere) = offset.addingReportingOverflow(length)
    return offset < 0 || isElsewhere ? 0..<0 : offset..<end
  }
}
