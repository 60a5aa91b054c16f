import SondeSystem

/// Files that were rotated away while nobody read, and truncations.
extension FileFollower {
  /// Goes on after a truncation of the file at an index.
  ///
  /// The rest of its former content comes first, if a copy of that lies beside it.
  mutating func restart(_ index: Int, _ now: ContinuousClock.Instant) {
    let (former, file) = (files[index].position, files[index].file)
    let isUnseen = files[index].size > former.offset
    remember(former)
    guard let status = file.status, former.stage == .current else {
      _ = files.remove { $0.position.number == former.number }
      if former.stage == .rotated { restart(former, file, index, isUnseen: isUnseen, now) }
      return
    }
    var position = FilePosition(number: nextNumber(), path: former.path, status, of: file)
    // It may be a copy of a log that is followed by another name.
    if let copied = lastRead(in: file), copied.path != former.path {
      position.goOn(behind: copied)
    }
    // It stays held, so that it is not taken for another file under its new name.
    files[index] = FollowedFile(file, position, now: now, watchedBy: watch)
    insert(at: index) { _ = $0.rotatedAway(former, beside: file, now, isUnseen: isUnseen) }
  }

  /// Goes on after a file that had been rotated away, and had an index, has got another content.
  private mutating func restart(
    _ former: FilePosition,
    _ file: OpenedFile,
    _ index: Int,
    isUnseen: Bool,
    _ now: ContinuousClock.Instant
  ) {
    // Not what wipes a file before it is deleted (shred(1)).
    let hasLines = FilePosition.head(of: file).allSatisfy {
      $0 >= 0x20 || "\t\n\r\u{1b}".utf8.contains($0)
    }
    let current = files.first {
      $0.position.stage == .current && $0.position.path == former.path
    }
    insert(at: index) { follower in
      if hasLines {
        // What is in it now may be lines from before it was renamed: then it is like a file never seen.
        _ = follower.rotatedAway(former, beside: current?.file, now, isUnseen: isUnseen)
      } else if !follower.find(former, now), isUnseen {
        // It belongs to the file of which it is a copy.
        _ = follower.reportRest(of: former)
      }
    }
  }

  /// Begins the file at an index, of which no line was read.
  ///
  /// Since it was seen, it may have been filled, copied and truncated any number of times. Only the
  /// copies tell, which come first.
  mutating func begin(_ index: Int, _ now: ContinuousClock.Instant) {
    let (empty, file) = (files[index].position, files[index].file)
    files[index].position.modified = file.status?.modified ?? empty.modified
    files[index].position.head = FilePosition.head(of: file)
    insert(at: index) { _ = $0.readBetween(empty.path, since: empty.modified, beside: file, now) }
  }

  /// Has the files that a look finds read before the one at an index.
  private mutating func insert(at index: Int, _ look: (inout Self) -> Void) {
    let count = files.count
    look(&self)
    let found = files.count - count
    guard found > 0 else { return }
    files.move(from: count, to: index)
    if index + found < files.count { files[index + found].position.number = nextNumber() }
  }

  /// Reads what was rotated away: the rest of a file, which is found by its content, and the files that
  /// came after it; returns the time since which others may come.
  mutating func rotatedAway(
    _ position: FilePosition,
    beside current: OpenedFile?,
    _ now: ContinuousClock.Instant,
    isUnseen: Bool
  ) -> Duration {
    drop(position)
    // A copy that ends before the position is no later, and has nothing new.
    var since = position.modified + .nanoseconds(1)
    if find(position, now) {
      // Of one without lines so far, copies may have been made since its first sight.
      if position.offset > 0 { since = files.last?.file.status?.modified ?? since }
    } else {
      if isUnseen, position.stage != .awaited { since = reportRest(of: position) }
      remember(position)
    }
    return readBetween(position.path, since: since, beside: current, now)
  }

  /// Reads the files that were rotated away under a name since a time, and never seen under it; returns
  /// the time since which others may come.
  ///
  /// A copy of what the current file still holds is none of them: it was not truncated yet.
  mutating func readBetween(
    _ path: String,
    since: Duration,
    beside current: OpenedFile?,
    _ now: ContinuousClock.Instant
  ) -> Duration {
    let recent = (unsettled[path] ?? []).filter { now < $0.until }
    unsettled[path] = recent + [(since, now + Self.searchTime)]
    let earliest = recent.reduce(since) { min($0, $1.since) }
    let latest = readUnseen(path, since: earliest, beside: current, now)
    return max(latest ?? since, reportCompressed(path, since: since))
  }

  /// How long files that were moved on while they were looked for are looked for again.
  private static let searchTime = Duration.seconds(1)

  /// Looks again for files that were rotated away, beside those at some indices.
  mutating func settle(_ indices: [String: Int], _ now: ContinuousClock.Instant) {
    // A name that is awaited is looked for with the others.
    for (path, times) in unsettled where kept[path]?.stage != .awaited {
      let current = indices[path].map { files[$0].file }
      let earliest = times.reduce(times[0].since) { min($0, $1.since) }
      _ = readUnseen(path, since: earliest, beside: current, now)
      let recent = times.filter { now < $0.until }
      unsettled[path] = recent.isEmpty ? nil : recent
    }
  }

  /// Reads files like ``readBetween(_:since:beside:_:)``; returns the time of the last one.
  private mutating func readUnseen(
    _ path: String,
    since: Duration,
    beside current: OpenedFile?,
    _ now: ContinuousClock.Instant
  ) -> Duration? {
    let isCopy = { (end: FilePosition) in current.map { end.matches($0) } ?? false }
    wasCutShort = false
    let between = unseen(path, since: since).filter { !isCopy($0.end) }
    if wasCutShort {
      // Until there are descriptors again.
      for index in unsettled[path]?.indices ?? 0..<0 {
        unsettled[path]?[index].until = now + Self.searchTime
      }
    }
    for (file, status, _, read) in between {
      var position = FilePosition(number: nextNumber(), path: path, status, of: file)
      if let read { position.goOn(behind: read) }
      follow(file, from: position, status, path, now, as: .rotated)
    }
    return between.last?.status.modified
  }

  /// Passes over what lies beside a file that is new, which is no rotation of it.
  ///
  /// It may be written to for a while, and is not to be taken for what comes later. If the new file is
  /// `isAlone`, without a byte by which its copies are known, that holds for older ones, too.
  mutating func passOver(_ path: String, isAlone: Bool) {
    let recent = Duration.milliseconds(Timestamp.now.milliseconds) - rules.holdTime
    let beside = unseen(path, since: isAlone ? .zero : recent)
    for (_, _, end, _) in beside.suffix(Self.mostPassedOver) {
      var end = end
      (end.number, end.stage) = (nextNumber(), .passedOver)
      remember(end)
    }
  }

  /// The latest files that were rotated away and may still be written to.
  private static let mostPassedOver = 10

  /// Holds files that an earlier follower has read to their ends, and that were written to since, or
  /// may be.
  mutating func holdWritten(_ now: ContinuousClock.Instant) {
    let recent = Duration.milliseconds(Timestamp.now.milliseconds) - rules.holdTime
    let held = done.filter { $0.stage == .done && followed.contains($0.path) }
    let ended = Dictionary(grouping: held) { $0.path }
    for (path, positions) in ended.sorted(by: { $0.key < $1.key }) {
      let beside = folders.continuations(of: path) + folders.rotations(of: path).map(\.path)
      for path in Set(beside).sorted() {
        guard let status = FileStatus(path: path), !files.contains(status.identity),
          let position = positions.first(where: { $0.identity == status.identity }),
          status.size > position.offset || status.modified >= recent,
          let file = try? OpenedFile(path: path), file.status?.identity == status.identity,
          position.matches(file)
        else { continue }
        follow(file, from: position, status, position.path, now, as: .done)
      }
    }
  }

  /// A file that was rotated away and never seen under a name.
  private typealias Unseen = (
    file: OpenedFile, status: FileStatus, end: FilePosition, read: FilePosition?
  )

  /// The files that were rotated away under a name since a time and never seen under it, each with the
  /// position of its end and that up to which its content was read, in the order of their times.
  private mutating func unseen(_ path: String, since: Duration) -> [Unseen] {
    let current = FileStatus(path: path)?.identity
    var found: [Unseen] = []
    // One that is moved on meanwhile is met under both names.
    var identities: Set<FileIdentity> = []
    for sibling in folders.rotations(of: path) where !sibling.isCompressed {
      guard FileStatus(path: sibling.path).map({ $0.modified >= since }) ?? false,
        let file = opened(sibling.path), let status = file.status,
        status.isRegular, status.size > 0, status.identity != current,
        !files.contains(status.identity), !file.isCompressed,
        identities.insert(status.identity).inserted
      else { continue }
      var end = FilePosition(number: 0, path: path, status, of: file)
      end.start(at: status.size, of: file)
      let read = lastRead(in: file)
      if let read {
        guard hasMore(file, status, than: read, upTo: end) else { continue }
      } else if contents?.isBeginning(file, of: path) == true {
        continue
      }
      let isOther = read.map { $0.head.count < FilePosition.markLength } ?? true
      found.append((file, status, end, isOther ? nil : read))
    }
    return found.sorted { $0.status.modified < $1.status.modified }
  }

  /// Whether a file has lines behind what was read of another one that began alike, such as with the
  /// same header, and the other one has not.
  ///
  /// Where the other one was truncated, its copy is not searched for here but by ``restart(_:_:)``.
  private func hasMore(
    _ file: OpenedFile,
    _ status: FileStatus,
    than read: FilePosition,
    upTo end: FilePosition
  ) -> Bool {
    guard read.identity != status.identity, read.offset < status.size else { return false }
    guard let other = files.first(where: { $0.position.identity == read.identity }) else {
      return true
    }
    return other.position.matches(other.file) && !end.matches(other.file)
  }

  /// Opens a file beside another one; `nil` if it cannot be opened, which is kept in mind if there is
  /// no descriptor for it.
  private mutating func opened(_ path: String) -> OpenedFile? {
    do throws(SystemError) {
      return try OpenedFile(path: path)
    } catch {
      if error.isOfDescriptors { (isFull, wasCutShort) = (true, true) }
      return nil
    }
  }

  /// Opens the file beside its former name that has the content up to a position.
  mutating func find(_ position: FilePosition, _ now: ContinuousClock.Instant) -> Bool {
    let path = position.path
    // A copy may have been made while lines were added, so the file itself comes first.
    var found: [(file: OpenedFile, status: FileStatus)] = []
    if !files.contains(position.identity) {
      let isThere = FileStatus(path: path)?.identity == position.identity
      let itself = isThere ? path : folders.path(of: position.identity, beside: path)
      found = files(at: itself.map { [$0] } ?? [], having: position)
    }
    if found.isEmpty { found = files(at: folders.continuations(of: path), having: position) }
    if found.isEmpty {
      let strangers = folders.strangers(beside: path, since: position.modified)
      found = files(at: strangers, having: position)
    }
    guard let (file, status) = found.max(by: { $0.status.size < $1.status.size }) else {
      return false
    }
    follow(file, from: position, status, path, now, as: .rotated)
    return true
  }

  /// Whether a file's content is known up to a later place, from a file that began alike.
  private mutating func wasRead(_ file: OpenedFile, beyond position: FilePosition) -> Bool {
    guard let last = lastRead(in: file) else { return false }
    return position.offset == 0 || last.offset > position.offset
  }

  /// The files at paths that have the content up to a position, and are not held.
  private mutating func files(
    at paths: [String],
    having position: FilePosition
  ) -> [(file: OpenedFile, status: FileStatus)] {
    var found: [(file: OpenedFile, status: FileStatus)] = []
    for path in paths {
      guard let file = opened(path), let status = file.status, status.isRegular,
        !files.contains(status.identity), position.matches(file),
        status.identity == position.identity || !wasRead(file, beyond: position)
      else { continue }
      found.append((file, status))
    }
    return found
  }
}
