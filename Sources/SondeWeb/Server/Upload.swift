/// The body of a request between the network and its reader.
struct Upload {
  /// The largest number of unread bytes.
  static let room = 64 << 10

  private var bytes: [UInt8] = []
  /// Read or discarded.
  private(set) var received = 0
  private(set) var isWhole = false
  private(set) var isCut = false

  /// Appends as many bytes as there is space for, and returns their number.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(bytes.count, Upload.room - waiting)
    unsafe self.bytes += UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
    received += count
    return count
  }

  mutating func discard(_ count: Int) {
    bytes = []
    received += count
  }

  var waiting: Int { bytes.count }

  mutating func finish() { isWhole = true }

  /// Marks the body as truncated, unless it is complete.
  mutating func cut() { if !isWhole { isCut = true } }

  /// The result of a read.
  enum Reading: Equatable {
    case bytes([UInt8]), end, cut
  }

  /// Takes the next bytes; `nil` if the reader must wait for them.
  mutating func next() -> Reading? {
    guard bytes.isEmpty else {
      defer { bytes = [] }
      return .bytes(bytes)
    }
    return isWhole ? .end : isCut ? .cut : nil
  }
}
