import SondeSystem

/// Files that were rotated away while nobody read, and truncations.
extension FileFollower {
  /// Goes on after a truncation of the file at an index.
  ///
  /// The rest of its former content comes first, if a copy of that lies beside it.
  mutating func restart(_ index: Int, _ now: ContinuousClock.Instant) {
    let (former, file) = (files[index].position, files[index].file)
    remember(former)
    guard let status = file.status else { return }
    var position = FilePosition(number: nextNumber(), path: former.path, status, of: file)
    position.stage = former.stage
    // It stays held, so that it is not taken for another file under its new name.
    files[index] = FollowedFile(file, position, now: now, watchedBy: watch)
    insert(at: index) { $0.rotatedAway(former, beside: file, now, isUnseen: false) }
  }

  /// Begins the file at an index, of which no line was read.
  ///
  /// Since it was seen, it may have been filled, copied and truncated any number of times. Only the
  /// copies tell, which come first.
  mutating func begin(_ index: Int, _ now: ContinuousClock.Instant) {
    let (empty, file) = (files[index].position, files[index].file)
    files[index].position.modified = file.status?.modified ?? empty.modified
    files[index].position.head = FilePosition.head(of: file)
    insert(at: index) { $0.readBetween(empty.path, since: empty.modified, beside: file, now) }
  }

  /// Has the files that a look finds read before the one at an index.
  private mutating func insert(at index: Int, _ look: (inout Self) -> Void) {
    let count = files.count
    look(&self)
    let found = files[count...]
    files.removeSubrange(count...)
    files.insert(contentsOf: found, at: index)
  }

  /// Looks for the file of an earlier run that was already rotated away.
  mutating func resume(_ position: FilePosition, _ now: ContinuousClock.Instant) {
    kept.removeAll { $0.number == position.number }
    if !find(position, now) { reportLoss(of: position) }
  }

  /// Reads what was rotated away: the rest of a file, which is found by its content, and the files that
  /// came after it.
  mutating func rotatedAway(
    _ position: FilePosition,
    beside current: OpenedFile?,
    _ now: ContinuousClock.Instant,
    isUnseen: Bool
  ) {
    kept.removeAll { $0.number == position.number }
    let wasFound = find(position, now)
    if !wasFound {
      if isUnseen, position.stage != .awaited { reportLoss(of: position) }
      remember(position)
    }
    // A copy that ends before the position is no later, and has nothing new.
    let since = wasFound ? files.last?.file.status?.modified : nil
    let after = since ?? position.modified + .nanoseconds(1)
    readBetween(position.path, since: after, beside: current, now)
  }

  /// Reads the files that were rotated away under a name since a time, and never seen under it.
  ///
  /// A copy of what the current file still holds is none of them: it was not truncated yet.
  mutating func readBetween(
    _ path: String,
    since: Duration,
    beside current: OpenedFile?,
    _ now: ContinuousClock.Instant
  ) {
    let isCopy = { (end: FilePosition) in current.map { end.matches($0) } ?? false }
    let between = unseen(path, since: since).filter { !isCopy($0.end) }
    for (file, status, _) in between.sorted(by: { $0.status.modified < $1.status.modified }) {
      let position = FilePosition(number: nextNumber(), path: path, status, of: file)
      follow(file, from: position, status, path, now, as: .rotated)
    }
  }

  /// Counts what lies beside a file that is empty or not there as read.
  ///
  /// What was rotated away before may be written to for a while, and is not to be taken for what comes
  /// later.
  mutating func passOver(_ path: String) {
    let beside = unseen(path, since: .zero).sorted { $0.status.modified < $1.status.modified }
    for (_, _, end) in beside.suffix(Self.mostPassedOver) {
      var end = end
      end.number = nextNumber()
      remember(end)
    }
  }

  /// The latest files that were rotated away and may still be written to.
  private static let mostPassedOver = 10

  /// The files that were rotated away under a name since a time and never seen under it, each with the
  /// position of its end.
  private func unseen(
    _ path: String,
    since: Duration
  ) -> [(file: OpenedFile, status: FileStatus, end: FilePosition)] {
    let current = FileStatus(path: path)?.identity
    let siblings = FilePattern.siblings(of: path).filter { $0.isRotation && !isFollowed($0.path) }
    return siblings.compactMap { sibling in
      guard FileStatus(path: sibling.path).map({ $0.modified >= since }) ?? false,
        let file = try? OpenedFile(path: sibling.path), let status = file.status,
        status.isRegular, status.size > 0, status.identity != current,
        !isHeld(status.identity), !file.isCompressed, !isKnown(file)
      else { return nil }
      var end = FilePosition(number: 0, path: path, status, of: file)
      end.start(at: status.size, of: file)
      return (file, status, end)
    }
  }

  /// Whether the content of a file is read under another name.
  private func isKnown(_ file: OpenedFile) -> Bool {
    let positions = done + files.map(\.position)
    return positions.contains { $0.offset > 0 && $0.matches(file) }
  }

  /// Opens the file beside its former name that has the content up to a position.
  private mutating func find(_ position: FilePosition, _ now: ContinuousClock.Instant) -> Bool {
    let paths = [position.path] + FilePattern.siblings(of: position.path).map(\.path)
    let found = paths.compactMap { path -> (file: OpenedFile, status: FileStatus)? in
      guard let file = try? OpenedFile(path: path), let status = file.status, status.isRegular,
        !isHeld(status.identity), position.matches(file),
        position.offset > 0 || status.identity == position.identity || !isKnown(file)
      else { return nil }
      return (file, status)
    }
    // A copy may have been made while lines were added, so the file itself comes first.
    let same = found.first { $0.status.identity == position.identity }
    guard let (file, status) = same ?? found.max(by: { $0.status.size < $1.status.size }) else {
      return false
    }
    follow(file, from: position, status, position.path, now, as: .rotated)
    return true
  }

  private func isHeld(_ identity: FileIdentity) -> Bool {
    files.contains { $0.position.identity == identity }
  }
}
