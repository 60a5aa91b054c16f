import SondeSystem

/// Files that were rotated away while nobody read, and truncations.
extension FileFollower {
  /// Goes on after a truncation of the file at an index; returns the index to read next.
  ///
  /// The rest of its former content comes first, if a copy of that lies beside it.
  mutating func restart(_ index: Int, _ now: ContinuousClock.Instant) -> Int {
    let former = files[index].position
    remember(former)
    guard let status = files[index].file.status else { return index + 1 }
    var position = FilePosition(number: nextNumber(), path: former.path, status)
    position.stage = former.stage
    // It stays held, so that it is not taken for another file under its new name.
    files[index] = FollowedFile(files[index].file, position, now: now, watchedBy: watch)
    let count = files.count
    rotatedAway(former, now, isUnseen: false)
    // What was found comes first.
    let found = files[count...]
    files.removeSubrange(count...)
    files.insert(contentsOf: found, at: index)
    return index
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
    _ now: ContinuousClock.Instant,
    isUnseen: Bool
  ) {
    kept.removeAll { $0.number == position.number }
    let wasFound = find(position, now)
    if !wasFound {
      if isUnseen { reportLoss(of: position) }
      remember(position)
    }
    let found = wasFound ? files.last?.file.status : nil
    readBetween(position.path, since: found?.modified ?? position.modified, now)
  }

  /// Reads the files that were rotated away under a name since a time, and never seen under it.
  mutating func readBetween(_ path: String, since: Duration, _ now: ContinuousClock.Instant) {
    let current = FileStatus(path: path)?.identity
    var between: [(file: OpenedFile, status: FileStatus)] = []
    for sibling in FilePattern.siblings(of: path) where sibling.isRotation {
      guard let file = try? OpenedFile(path: sibling.path), let status = file.status,
        status.isRegular, status.modified >= since, status.size > 0, status.identity != current,
        !isHeld(status.identity), !file.isCompressed, !isKnown(file)
      else { continue }
      between.append((file, status))
    }
    for (file, status) in between.sorted(by: { $0.status.modified < $1.status.modified }) {
      let position = FilePosition(number: nextNumber(), path: path, status)
      follow(file, from: position, status, path, now, as: .rotated)
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
        !isHeld(status.identity), position.matches(file)
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
