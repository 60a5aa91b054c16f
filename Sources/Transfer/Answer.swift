/// What has come of an answer so far, within its limits.
struct Answer {
  /// The largest header section accepted, in bytes; servers send about one thousand.
  static let maximumHeader = 256 << 10

  /// The most that is reserved on the word of a header alone, in bytes.
  static let maximumReserve = 1 << 20

  /// The largest body accepted, in bytes.
  var limit = 0

  /// Whether it was more than the limits allow.
  private(set) var isTooLarge = false

  /// Whether anything came.
  var hasBegun: Bool { !header.isEmpty }

  private var header: [UInt8] = []
  private var body: [UInt8] = []

  init(limit: Int = 0) { self.limit = limit }

  /// Adds one line of a header section; a status line begins anew, since an interim answer
  /// (RFC 9110 §15.2) may come first.
  /// - Returns: Whether there is room for it.
  mutating func appendHeader(_ line: RawSpan) -> Bool {
    if line.isStatusLine { header.removeAll(keepingCapacity: true) }
    guard header.count + line.byteCount <= Answer.maximumHeader else {
      isTooLarge = true
      return false
    }
    if header.capacity == 0 { header.reserveCapacity(512) }
    unsafe line.withUnsafeBytes { bytes in unsafe header.append(contentsOf: bytes) }
    return true
  }

  /// Adds a chunk of the body, with one copy and room left for a parser behind it.
  /// - Returns: Whether there is room for it.
  mutating func appendBody(_ chunk: RawSpan, expecting length: @autoclosure () -> Int) -> Bool {
    let needed = body.count + chunk.byteCount
    guard needed <= limit else {
      isTooLarge = true
      return false
    }
    if body.capacity < needed + Response.padding {
      let hint = body.isEmpty ? min(length(), Answer.maximumReserve) : body.capacity * 2
      body.reserveCapacity(max(needed, hint) + Response.padding)
    }
    unsafe chunk.withUnsafeBytes { bytes in unsafe body.append(contentsOf: bytes) }
    return true
  }

  /// Hands over what came, without a copy.
  mutating func take() -> (header: [UInt8], body: [UInt8]) {
    defer { self = Answer() }
    return (header, body)
  }
}

extension RawSpan {
  /// Whether it begins with `HTTP/`.
  fileprivate var isStatusLine: Bool {
    guard byteCount >= 5 else { return false }
    return unsafe withUnsafeBytes { bytes in unsafe bytes.prefix(5).elementsEqual("HTTP/".utf8) }
  }
}
