/// A complete picture of a known type, recognised by its content and limited in size.
struct ImageFile: Sendable {
  enum Kind: String {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case webp = "image/webp"
    case gif = "image/gif"
  }

  static let mostPixels = 50_000_000

  let kind: Kind
  let bytes: [UInt8]

  /// Checks a picture; `nil` for anything else, including SVG, and above ``mostPixels``.
  init?(_ bytes: [UInt8]) {
    guard let (kind, size) = Self.recognise(bytes), size.width > 0, size.height > 0,
      size.width <= Self.mostPixels / size.height
    else { return nil }
    (self.kind, self.bytes) = (kind, bytes)
  }

  typealias Size = (width: Int, height: Int)

  private static func recognise(_ bytes: [UInt8]) -> (Kind, Size)? {
    if bytes.has("\u{89}PNG\r\n\u{1a}\n", at: 0) { return pngSize(bytes).map { (.png, $0) } }
    if bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) {
      return gifSize(bytes).map { (.gif, $0) }
    }
    if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) {
      return webPSize(bytes).map { (.webp, $0) }
    }
    return jpegSize(bytes).map { (.jpeg, $0) }
  }

  /// W3C PNG §11.2.1.
  private static func pngSize(_ bytes: [UInt8]) -> Size? {
    guard bytes.has("IHDR", at: 12), let width = bytes.big(4, at: 16),
      let height = bytes.big(4, at: 20)
    else { return nil }
    var place = 8
    while !bytes.has("IEND", at: place + 4) {
      guard let length = bytes.big(4, at: place) else { return nil }
      place += 12 + length
    }
    return (width, height)
  }

  /// GIF89a §18 and §20: the logical screen, or the first image if it extends beyond.
  private static func gifSize(_ bytes: [UInt8]) -> Size? {
    guard let width = bytes.little(2, at: 6), let height = bytes.little(2, at: 8),
      let flags = bytes.big(1, at: 10)
    else { return nil }
    var place = 13 + (flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1))
    while bytes.big(1, at: place) == 0x21 {
      place += 2
      while let length = bytes.big(1, at: place), length > 0 { place += 1 + length }
      place += 1
    }
    guard bytes.big(1, at: place) == 0x2c, let left = bytes.little(2, at: place + 1),
      let top = bytes.little(2, at: place + 3), let across = bytes.little(2, at: place + 5),
      let down = bytes.little(2, at: place + 7), bytes.last(where: { $0 != 0 }) == 0x3b
    else { return nil }
    return (max(width, left + across), max(height, top + down))
  }

  /// RFC 9649: lossy (RFC 6386 §9.1), lossless, or extended.
  private static func webPSize(_ bytes: [UInt8]) -> Size? {
    guard let length = bytes.little(4, at: 4), length + 8 <= bytes.count else { return nil }
    if bytes.has("VP8X", at: 12), let width = bytes.little(3, at: 24),
      let height = bytes.little(3, at: 27)
    {
      return (width + 1, height + 1)
    }
    if bytes.has("VP8L", at: 12), bytes.big(1, at: 20) == 0x2f, let bits = bytes.little(4, at: 21) {
      return (bits & 0x3fff + 1, bits >> 14 & 0x3fff + 1)
    }
    guard bytes.has("VP8 ", at: 12), bytes.big(3, at: 23) == 0x9d012a,
      let width = bytes.little(2, at: 26), let height = bytes.little(2, at: 28)
    else { return nil }
    return (width & 0x3fff, height & 0x3fff)
  }

  /// ITU-T T.81 §B.1: the first frame's header.
  private static func jpegSize(_ bytes: [UInt8]) -> Size? {
    guard bytes.big(3, at: 0) == 0xffd8ff else { return nil }
    var place = 2
    while bytes.big(1, at: place) == 0xff, let marker = bytes.big(1, at: place + 1) {
      switch marker {
      case 0xff: place += 1
      case 0xc0...0xcf where ![0xc4, 0xc8, 0xcc].contains(marker):
        guard let height = bytes.big(2, at: place + 5), let width = bytes.big(2, at: place + 7),
          (place..<bytes.count).reversed().contains(where: { bytes.big(2, at: $0) == 0xffd9 })
        else { return nil }
        return (width, height)
      // The start of the picture's data, or its end.
      case 0xd9, 0xda: return nil
      default:
        guard let length = bytes.big(2, at: place + 2), length >= 2 else { return nil }
        place += 2 + length
      }
    }
    return nil
  }
}

extension [UInt8] {
  fileprivate func has(_ text: String, at place: Int) -> Bool {
    dropFirst(place).starts(
      with: text.unicodeScalars.lazy.map { UInt8(truncatingIfNeeded: $0.value) }
    )
  }

  /// A big-endian number of so many bytes; `nil` beyond the end.
  fileprivate func big(_ length: Int, at place: Int) -> Int? {
    guard place + length <= count else { return nil }
    return self[place..<place + length].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The same, little-endian.
  fileprivate func little(_ length: Int, at place: Int) -> Int? {
    guard place + length <= count else { return nil }
    return self[place..<place + length].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
