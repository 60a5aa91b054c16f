import SondeSystem

/// A line of a followed file.
public struct FollowedLine: Sendable {
  /// The name of the file, under which it was first read.
  public let path: String
  /// The line without its end.
  public let bytes: ArraySlice<UInt8>

  /// Creates a line.
  public init(path: String, bytes: ArraySlice<UInt8>) { (self.path, self.bytes) = (path, bytes) }
}

/// A file that is held open, and its position.
struct FollowedFile {
  /// What a reading has come to.
  enum Reading {
    /// There may be more.
    case more
    /// All that is there was read, except a line without its end.
    case end
    /// The file is shorter than the position, or has another content.
    case truncated
    /// It cannot be read now.
    case failed(SystemError)
  }

  /// The number of bytes that are read at once.
  private static let piece = 256 << 10

  let file: OpenedFile
  var position: FilePosition
  /// Whether there may be more to read.
  var isDue = true
  /// Whether all that was there was read when it was last tried.
  private(set) var isAtEnd = false
  /// Its size when it was last looked at and held what was read, in bytes.
  private(set) var size = 0
  private let mark: FileMark?
  /// When it was last seen to have grown.
  var grown: ContinuousClock.Instant
  /// The size when it was last read to its end.
  private var seen: FileSnapshot?

  private struct FileSnapshot: Equatable {
    let size: Int
    let modified: Duration
  }

  init(
    _ file: OpenedFile,
    _ position: FilePosition,
    now: ContinuousClock.Instant,
    watchedBy watch: FileWatch?
  ) {
    (self.file, self.position, grown) = (file, position, now)
    mark = watch?.mark(file)
  }

  /// Whether a file without lines so far has more of its first bytes, or had others, since.
  var wasFilled: Bool {
    guard position.offset == 0, position.head.count < FilePosition.markLength,
      position.stage == .current, let status = file.status
    else { return false }
    guard position.head.isEmpty else {
      // Of some files, such as those of the kernel, the size is not that of what is in them.
      return status.size > position.head.count && FilePosition.head(of: file) != position.head
    }
    return status.modified != position.modified || !FilePosition.head(of: file).isEmpty
  }

  /// Reads on without its name, for which another file may be waiting.
  mutating func rotate(_ now: ContinuousClock.Instant) {
    (position.stage, grown, isAtEnd) = (.rotated, now, false)
  }

  /// Takes what may have changed.
  mutating func hear(_ changes: FileChanges) {
    if let mark, changes.written.contains(mark.number) { isDue = true }
  }

  /// Reads further lines; `tooLong` is increased by those that are left out.
  mutating func read(
    _ rules: FollowRules,
    now: ContinuousClock.Instant,
    tooLong: inout Int,
    _ take: (FollowedLine) -> Void
  ) -> Reading {
    let reading = readPiece(rules, now: now, tooLong: &tooLong, take)
    if case .more = reading { isAtEnd = false } else { isAtEnd = true }
    return reading
  }

  private mutating func readPiece(
    _ rules: FollowRules,
    now: ContinuousClock.Instant,
    tooLong: inout Int,
    _ take: (FollowedLine) -> Void
  ) -> Reading {
    let longest = rules.longestLine
    guard let status = file.status else { return .end }
    let snapshot = FileSnapshot(size: status.size, modified: status.modified)
    if snapshot == seen { return .end }
    if status.size < position.offset { return .truncated }
    // A line keeps all that is read with it.
    var size = min(Self.piece, status.size - position.offset + 1)
    while true {
      let before = position.tail.count
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try file.read(at: position.offset - before, before + size)
      } catch { return .failed(error) }
      let isSame = bytes.starts(with: position.offset == 0 ? position.head : position.tail)
      guard isSame else { return .truncated }
      self.size = status.size
      // Of a file without lines so far, it stays the time since which copies may have been made.
      if position.offset > 0 { position.modified = status.modified }
      if position.stage == .done, status.size > position.offset {
        (position.stage, grown) = (.rotated, now)
      }
      let body = bytes[before...]
      guard let last = body.lastIndex(of: 0x0a) else {
        if body.count == size, size <= longest {
          size *= 2
          continue
        }
        guard body.count > longest || position.isSkipping, !body.isEmpty else {
          seen = body.count < size ? snapshot : nil
          return .end
        }
        if !position.isSkipping { takeBeginning(of: body, rules, take) }
        position.isSkipping = true
        position.advance(body)
        grown = now
        return .more
      }
      emit(body[...last], rules, &tooLong, take)
      grown = now
      if bytes.count < before + size, last == bytes.count - 1 { seen = snapshot }
      return bytes.count < before + size && last == bytes.count - 1 ? .end : .more
    }
  }

  /// Takes the beginning of a line that is too long, if it is wanted.
  private func takeBeginning(
    of line: ArraySlice<UInt8>,
    _ rules: FollowRules,
    _ take: (FollowedLine) -> Void
  ) {
    guard rules.cutsLongLines else { return }
    take(FollowedLine(path: position.path, bytes: line.prefix(rules.longestLine)))
  }

  /// Takes whole lines.
  private mutating func emit(
    _ lines: ArraySlice<UInt8>,
    _ rules: FollowRules,
    _ tooLong: inout Int,
    _ take: (FollowedLine) -> Void
  ) {
    let (bytes, first) = (lines.span, lines.startIndex)
    var start = first
    while let newline = bytes.position(of: 0x0a, from: start - first, to: bytes.count) {
      let end = first + newline
      if position.isSkipping || end - start > rules.longestLine {
        if !position.isSkipping { takeBeginning(of: lines[start..<end], rules, take) }
        position.isSkipping = false
        if !rules.cutsLongLines { tooLong += 1 }
      } else {
        take(FollowedLine(path: position.path, bytes: lines[start..<end]))
      }
      start = end + 1
    }
    position.advance(lines)
  }

  /// Takes the rest and a last line without its end, of a file to which nothing seems to be added.
  mutating func finish(
    _ rules: FollowRules,
    tooLong: inout Int,
    _ take: (FollowedLine) -> Void
  ) {
    // Lines may have been added since the last reading.
    let end = file.status?.size ?? 0
    while position.offset < end, case .more = read(rules, now: grown, tooLong: &tooLong, take) {}
    let rest = file.bytes(at: position.offset, rules.longestLine + 1)
    // Somebody still writes.
    if !position.isSkipping, rest.contains(0x0a) { return }
    position.stage = .done
    if position.isSkipping || rest.count > rules.longestLine {
      if !position.isSkipping { takeBeginning(of: rest[...], rules, take) }
      position.isSkipping = false
      if !rules.cutsLongLines { tooLong += 1 }
    } else if !rest.isEmpty, rest.last != 0x0a {
      take(FollowedLine(path: position.path, bytes: rest[...]))
    }
    position.advance(rest[...])
  }
}
