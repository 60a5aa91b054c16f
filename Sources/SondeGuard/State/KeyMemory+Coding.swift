/// Numbers and texts in bytes: numbers as zigzag LEB128, texts behind their lengths.
private struct ByteCoder {
  var bytes: [UInt8] = []

  mutating func append(_ number: Int64) {
    var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func append(_ text: String?) {
    append(Int64(text.map { $0.utf8.count } ?? -1))
    bytes += Array((text ?? "").utf8)
  }

  mutating func append(real: Double) { append(Int64(bitPattern: real.bitPattern)) }
}

private struct ByteReader {
  var bytes: ArraySlice<UInt8>

  mutating func number() -> Int64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while let byte = bytes.popFirst(), shift < 64 {
      value |= UInt64(byte & 0x7f) << shift
      shift += 7
      if byte < 0x80 { break }
    }
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func text() -> String? {
    let count = Int(number())
    guard count >= 0, count <= bytes.count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  mutating func real() -> Double { Double(bitPattern: UInt64(bitPattern: number())) }
}

extension KeyMemory {
  /// The form in which it lies in the state.
  var stored: [UInt8] {
    var coder = ByteCoder()
    coder.append(lastAlert == nil ? 0 : 1)
    coder.append(lastAlert ?? 0)
    coder.append(Int64(values.count))
    for value in values { coder.append(value) }
    coder.append(place == nil ? 0 : 1)
    if let place {
      coder.append(place.time)
      coder.append(place.ip)
      coder.append(place.city)
      coder.append(place.countryCode)
      coder.append(real: place.latitude)
      coder.append(real: place.longitude)
    }
    let hits = times.hits
    coder.append(Int64(hits.count))
    var last: Int64 = 0
    for (time, count) in hits {
      coder.append(time &- last)
      coder.append(count)
      last = time
    }
    return coder.bytes
  }

  /// Reads what ``stored`` has written.
  init(stored: [UInt8]) {
    self.init()
    var reader = ByteReader(bytes: stored[...])
    let (hasAlert, alert) = (reader.number() == 1, reader.number())
    if hasAlert { lastAlert = alert }
    for _ in 0..<max(0, reader.number()) { values.append(reader.text() ?? "") }
    if reader.number() == 1 {
      var place = HitPlace(time: reader.number(), ip: reader.text() ?? "")
      (place.city, place.countryCode) = (reader.text(), reader.text())
      (place.latitude, place.longitude) = (reader.real(), reader.real())
      self.place = place
    }
    var (hits, time): ([(Int64, Int64)], Int64) = ([], 0)
    for _ in 0..<max(0, reader.number()) where !reader.bytes.isEmpty {
      time &+= reader.number()
      hits.append((time, reader.number()))
    }
    times = HitTimes(hits)
  }
}

/// A key or value as bytes: its texts behind their lengths.
func keyBytes(_ texts: [String]) -> [UInt8] {
  var coder = ByteCoder()
  for text in texts { coder.append(text) }
  return coder.bytes
}
