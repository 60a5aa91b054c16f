/// The body of a request between the network and who reads it.
struct Upload {
  /// How much may wait for its reader.
  static let room = 64 << 10

  private var bytes: [UInt8] = []
  /// All that came, read or not, taken or discarded.
  private(set) var received = 0
  private(set) var isWhole = false
  private(set) var isCut = false

  /// Takes what there is room for.
  /// - Returns: How many bytes were taken.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(bytes.count, Upload.room - waiting)
    unsafe self.bytes += UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
    received += count
    return count
  }

  /// Counts what nobody will read.
  mutating func discard(_ count: Int) {
    bytes = []
    received += count
  }

  /// How much waits for its reader.
  var waiting: Int { bytes.count }

  /// Nothing more comes, and it is all.
  mutating func finish() { isWhole = true }

  /// Nothing more comes, though more should.
  mutating func cut() { if !isWhole { isCut = true } }

  /// What a reader is told.
  enum Reading: Equatable {
    case bytes([UInt8]), end, cut
  }

  /// The next bytes; `nil` where the reader must wait for them.
  mutating func next() -> Reading? {
    guard bytes.isEmpty else {
      defer { bytes = [] }
      return .bytes(bytes)
    }
    return isWhole ? .end : isCut ? .cut : nil
  }
}
