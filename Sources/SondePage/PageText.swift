import SondeRecords
import SondeSystem

/// Appends a text to HTML, as content or as the value of a quoted attribute.
///
/// It is escaped for people: see `appendEscapedForPerson`.
func appendMarkupText(_ text: String, to page: inout [UInt8]) {
  var shown: [UInt8] = []
  appendEscapedForPerson(Array(text.utf8).span, to: &shown)
  for byte in shown {
    switch byte {
    case UInt8(ascii: "&"): page += "&amp;".utf8
    case UInt8(ascii: "<"): page += "&lt;".utf8
    case UInt8(ascii: ">"): page += "&gt;".utf8
    case UInt8(ascii: "\""): page += "&quot;".utf8
    case UInt8(ascii: "'"): page += "&#39;".utf8
    default: page.append(byte)
    }
  }
}

/// JSON that can be embedded in `<script type="application/json">`, whatever its texts.
///
/// Only `</script` ends such an element and `<!--` changes it, so no `<` is written.
struct ScriptJSON {
  private(set) var bytes: [UInt8] = []

  mutating func append(text: String) {
    var (shown, quoted): ([UInt8], [UInt8]) = ([], [])
    appendEscapedForPerson(Array(text.utf8).span, to: &shown)
    appendJSONString(shown.span, to: &quoted)
    for byte in quoted {
      if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }
  }

  mutating func append(number: Int64?) { bytes += (number.map(String.init) ?? "null").utf8 }

  /// Appends anything other than a text or number.
  mutating func append(mark: StaticString) { bytes += mark.description.utf8 }

  mutating func append<Items: Collection>(
    _ items: Items,
    each append: (inout ScriptJSON, Items.Element) -> Void
  ) {
    self.append(mark: "[")
    var isFirst = true
    for item in items {
      if !isFirst { self.append(mark: ",") }
      isFirst = false
      append(&self, item)
    }
    self.append(mark: "]")
  }
}
