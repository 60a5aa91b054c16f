extension Span<UInt8> {
  /// The content of a cell (RFC 4180 §2): without quotes, and with doubled ones replaced.
  func meaning(ofCell cell: Range<Int>) -> [UInt8] {
    var meaning: [UInt8] = []
    var (position, isQuoted) = (cell.lowerBound, false)
    while position < cell.upperBound {
      let byte = self[position]
      position += 1
      guard byte == UInt8(ascii: "\"") else {
        meaning.append(byte)
        continue
      }
      if !isQuoted {
        isQuoted = position == cell.lowerBound + 1
        if !isQuoted { meaning.append(byte) }
      } else if position < cell.upperBound, self[position] == byte {
        meaning.append(byte)
        position += 1
      } else {
        for index in position..<cell.upperBound { meaning.append(self[index]) }
        return meaning
      }
    }
    return meaning
  }
}
