import SondeAddresses

/// Tells two outputs apart without keeping them.
struct Digest: Equatable {
  private(set) var lines = 0
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func update(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") { lines += 1 }
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
  }
}

/// Compares the records of a scan with what the server answers, line by line.
struct AnswerCheck {
  private(set) var lines = 0
  private(set) var wrong = 0

  private var expected: DistinctAddresses
  private var line: [UInt8] = []

  init(expected: DistinctAddresses) { self.expected = expected }

  mutating func take(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      if bytes[index] != UInt8(ascii: "\n") {
        line.append(bytes[index])
        continue
      }
      lines += 1
      if !isRight { wrong += 1 }
      line.removeAll(keepingCapacity: true)
    }
  }

  /// Whether the line is the record of the next address, at the place that the server gives it.
  private var isRight: Bool {
    mutating get {
      guard let address = expected.next() else { return false }
      let text = "\(address)"
      // As in Server/main.c.
      let sum = text.utf8.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
      let record = String(decoding: line, as: UTF8.self)
      return record.hasPrefix(#"{"ip":"\#(text)","status":"ok","source":"ip-api","#)
        && record.contains(#""city":"Montreal \#(sum % 64)","#)
        && record.hasSuffix(#""line":\#(lines)}"#)
    }
  }
}
