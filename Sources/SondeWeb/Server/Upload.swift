/// The body of a request between the network and its reader.
struct Upload {
  /// The largest number of unread bytes.
  static let room = 64 << 10

  private var bytes: [UInt8] = []
  /// The number of bytes received, whether read or discarded.
  private(set) var received = 0
  private(set) var isWhole = false
  private(set) var isCut = false

  /// Appends as many bytes as there is space for.
  /// - Returns: The number of bytes accepted.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(bytes.count, Upload.room - waiting)
    unsafe self.bytes += UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
    received += count
    return count
  }

  /// Counts discarded bytes.
  mutating func discard(_ count: Int) {
    bytes = []
    received += count
  }

  /// The number of unread bytes.
  var waiting: Int { bytes.count }

  /// Marks the body as complete.
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
