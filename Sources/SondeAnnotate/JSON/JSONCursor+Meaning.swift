// The decoded content of strings in a JSON text.
import SondeInputs

extension JSONCursor.Text {
  func append(meaningIn text: Span<UInt8>, to output: inout [UInt8]) {
    output.append(meaningOfJSON: text.extracting(range))
  }

  /// Whether two strings are equal when decoded.
  func equals(_ other: JSONCursor.Text, in text: Span<UInt8>) -> Bool {
    guard isEscaped || other.isEscaped else { return text.equals(range, other.range) }
    var (own, others) = ([UInt8](), [UInt8]())
    append(meaningIn: text, to: &own)
    other.append(meaningIn: text, to: &others)
    return own == others
  }

  /// Whether the string equals a decoded text.
  func equals(_ meaning: [UInt8], in text: Span<UInt8>) -> Bool {
    guard isEscaped else {
      guard range.count == meaning.count else { return false }
      return meaning.indices.allSatisfy { text[range.lowerBound + $0] == meaning[$0] }
    }
    var own: [UInt8] = []
    append(meaningIn: text, to: &own)
    return own == meaning
  }
}

extension Span<UInt8> {
  @inline(__always)
  func equals(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    for offset in 0..<left.count
    where self[left.lowerBound &+ offset] != self[right.lowerBound &+ offset] {
      return false
    }
    return true
  }
}
