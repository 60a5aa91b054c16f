extension [UInt8] {
  /// Replaces doubled quotes by single ones.
  package mutating func unquote() {
    guard contains(UInt8(ascii: "\"")) else { return }
    var (plain, isSecond): ([UInt8], Bool) = ([], false)
    for byte in self {
      isSecond = byte == UInt8(ascii: "\"") && !isSecond
      if byte != UInt8(ascii: "\"") || !isSecond { plain.append(byte) }
    }
    self = plain
  }

  /// Decodes the escapes of TSV.
  package mutating func unescape() {
    guard contains(UInt8(ascii: "\\")) else { return }
    var (plain, isEscape): ([UInt8], Bool) = ([], false)
    for byte in self {
      switch (isEscape, byte) {
      case (false, UInt8(ascii: "\\")):
        isEscape = true
        continue
      case (true, UInt8(ascii: "t")): plain.append(0x09)
      case (true, UInt8(ascii: "n")): plain.append(0x0a)
      case (true, UInt8(ascii: "r")): plain.append(0x0d)
      default: plain.append(byte)
      }
      isEscape = false
    }
    self = plain
  }
}
