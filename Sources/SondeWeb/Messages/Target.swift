/// The path and the query of a request line, decoded once (RFC 3986 §3.3, §3.4).
struct Target: Sendable, Equatable {
  /// The segments of the path below the base path; `/` is one empty segment.
  let path: [String]

  /// The query as received, without its question mark.
  let query: String

  /// The reason why a target cannot be routed.
  enum Flaw: Error, Equatable {
    /// Not a path, or an ambiguous one: blanks, dot segments, control characters, broken encoding.
    case malformed
    /// Not below the base path.
    case elsewhere
    /// The base path without its final slash.
    case missingSlash
  }

  /// Splits, then decodes, then checks.
  ///
  /// So an encoded character never becomes a separator, and no dot segment in any spelling reaches
  /// a route.
  init(_ text: String, basePath: String) throws(Flaw) {
    guard text.hasPrefix("/"), !text.contains(" ") else { throw .malformed }
    let end = text.firstIndex(of: "?") ?? text.endIndex
    query = String(text[end...].dropFirst())
    var segments: [String] = []
    for raw in text[..<end].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = percentDecoded(raw.utf8, plusIsBlank: false), segment.isSafeSegment else {
        throw .malformed
      }
      segments.append(segment)
    }
    let base = basePath.split(separator: "/").map(String.init)
    if segments == base, !base.isEmpty { throw .missingSlash }
    guard segments.count > base.count, segments.starts(with: base) else { throw .elsewhere }
    path = Array(segments.dropFirst(base.count))
  }
}

extension String {
  fileprivate var isSafeSegment: Bool {
    self != "." && self != ".." && utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }
}

/// Decodes percent-encoding once; `nil` if a `%` lacks two digits, or the result is not UTF-8.
func percentDecoded(_ text: some Collection<UInt8>, plusIsBlank: Bool) -> String? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.count)
  var rest = text.makeIterator()
  while let byte = rest.next() {
    switch byte {
    case UInt8(ascii: "%"):
      guard let high = rest.next()?.hexadecimalDigit, let low = rest.next()?.hexadecimalDigit else {
        return nil
      }
      bytes.append(high << 4 | low)
    case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
    default: bytes.append(byte)
    }
  }
  return String(validating: bytes, as: UTF8.self)
}

extension UInt8 {
  var hexadecimalDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
