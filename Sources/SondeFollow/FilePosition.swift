public import SondeSystem

/// How far a file has been read, and enough of its content to recognise it under another name.
public struct FilePosition: Sendable, Equatable {
  /// What is still to be read of a file.
  public enum Stage: Int, Sendable {
    /// It is followed under its name.
    case current
    /// It was rotated away, and is read to its end.
    case rotated
    /// It was read to its end, and is only recognised.
    case done
    /// The file is not there yet.
    case awaited
    /// It lay beside a file when that was first seen, and is only recognised.
    case passedOver
  }

  /// The length of ``head`` and ``tail`` in bytes at most.
  static let markLength = 256
  /// How many files that were read to their ends are remembered beyond two for each name.
  static let mostDone = 200
  /// How many of them are held open beyond one for each name.
  static let mostHeld = 100
  /// How many names that only a pattern has found are waited for.
  static let mostAwaited = 200

  /// A number unlike that of any other position.
  public var number: Int64
  /// The name under which it was first read.
  public var path: String
  /// The file, unless it was copied.
  public var identity: FileIdentity
  /// The number of bytes read.
  public var offset = 0
  /// The first bytes of the file, none if there were none yet.
  public var head: [UInt8] = []
  /// The bytes right before ``offset``.
  public var tail: [UInt8] = []
  /// When the file was last written to, since 1970; while no line was read of it, this is of its
  /// first sight.
  public var modified: Duration
  /// What is still to be read.
  public var stage = Stage.current
  /// Whether ``offset`` lies within a line that is too long.
  public var isSkipping = false

  /// Creates a position at the beginning of a file.
  init(number: Int64, path: String, _ status: FileStatus, of file: OpenedFile) {
    (self.number, self.path) = (number, path)
    (identity, modified) = (status.identity, status.modified)
    head = Self.head(of: file)
  }

  /// What is kept of the beginning of a file.
  static func head(of file: OpenedFile) -> [UInt8] { file.bytes(at: 0, markLength) }

  /// Creates a position that was kept; ``head`` and the others are set apart.
  public init(number: Int64, path: String, identity: FileIdentity, modified: Duration) {
    (self.number, self.path, self.identity, self.modified) = (number, path, identity, modified)
  }

  /// Creates a position for a file that is not there yet.
  init(number: Int64, awaiting path: String) {
    (self.number, self.path, stage) = (number, path, .awaited)
    identity = FileIdentity(device: 0, number: 0)
    modified = .milliseconds(Timestamp.now.milliseconds) - Self.clockStep
  }

  /// How far the times of files may lie behind the clock.
  static let clockStep = Duration.seconds(1)

  /// Moves behind bytes that were read there.
  mutating func advance(_ bytes: ArraySlice<UInt8>) {
    if head.count < Self.markLength, offset <= head.count {
      head += bytes.dropFirst(head.count - offset).prefix(Self.markLength - head.count)
    }
    offset += bytes.count
    tail =
      bytes.count >= Self.markLength
      ? Array(bytes.suffix(Self.markLength))
      : Array((tail + bytes).suffix(Self.markLength))
  }

  /// Sets the position to a place in a file of which nothing was read before.
  mutating func start(at offset: Int, of file: OpenedFile) {
    self.offset = offset
    head = file.bytes(at: 0, min(offset, Self.markLength))
    let length = min(offset, Self.markLength)
    tail = file.bytes(at: offset - length, length)
  }

  /// Sets the position to that in another file, of which this one is a copy so far.
  mutating func goOn(behind other: Self) {
    (offset, head, tail, isSkipping) = (other.offset, other.head, other.tail, other.isSkipping)
  }

  /// Whether content that begins with ``head`` has what was read last in its place.
  func ends(in content: [UInt8]) -> Bool {
    content.count >= offset && content[(offset - tail.count)..<offset] == tail[...]
  }

  /// Whether a file has the content that was read up to here.
  func matches(_ file: OpenedFile) -> Bool {
    guard let status = file.status, status.size >= offset else { return false }
    guard !head.isEmpty else { return status.identity == identity }
    return file.bytes(at: 0, head.count) == head
      && file.bytes(at: offset - tail.count, tail.count) == tail
  }
}
