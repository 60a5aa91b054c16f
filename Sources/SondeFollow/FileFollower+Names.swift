import Glibc
import SondeSystem

/// Which files have the names that are followed.
extension FileFollower {
  /// Looks at all names; a file that is new is opened, and one that is gone is read to its end.
  public mutating func look(now: ContinuousClock.Instant) {
    let time = Duration.milliseconds(Timestamp.now.milliseconds)
    contents = nil
    release(now)
    for index in files.indices { files[index].isDue = true }
    if nextPatterns.map({ now >= $0 }) ?? true {
      matched = followed.matches
      nextPatterns = now + rules.patternInterval
    }
    let names = followed.explicit + matched
    let named = Set(names)
    if isFirstLook { resume(besides: named, now) }
    let awaited = kept.keys.filter { !named.contains($0) }.sorted()
    let current = files.indices.filter { files[$0].position.stage == .current }
    let indices = Dictionary(current.map { (files[$0].position.path, $0) }) { first, _ in first }
    // What has had a name before is in its directory now, if that is read after this.
    let statuses = (names + awaited).map { FileStatus(path: $0) }
    folders.begin()
    isFull = false
    settle(indices, now)
    for (name, status) in zip(names + awaited, statuses) {
      look(at: name, status, heldAt: indices[name], now)
    }
    folders.end()
    if !isFull { forgetProblem(of: "") }
    if isFirstLook {
      seenNames.formUnion(followed.explicit + followed.patterns)
      isFirstLook = false
    }
    lastLooks = lastLooks.suffix(1) + [time]
    watchFolders()
  }

  /// Goes on in the files of an earlier follower that were rotated away.
  private mutating func resume(besides named: Set<String>, _ now: ContinuousClock.Instant) {
    folders.begin()
    for (path, position) in kept where !named.contains(path) && !followed.contains(path) {
      kept[path] = nil
      remember(position)
    }
    let rotated = rotatedBefore
    rotatedBefore = []
    for position in rotated where !find(position, now) {
      reportLoss(of: position.path, behind: position.offset)
    }
    holdWritten(now)
  }

  /// Watches the directories of all names, or of those that are not there yet what is there of their
  /// paths.
  private mutating func watchFolders() {
    guard let watch else { return }
    var wanted: Set<String> = []
    for folder in Set((followed.explicit + matched).map { SondeSystem.folder(of: $0) }) {
      var folder = folder
      while !folder.isEmpty, folder != "/", FileStatus(path: folder) == nil {
        while folder.hasSuffix("/"), folder.count > 1 { folder.removeLast() }
        folder = SondeSystem.folder(of: folder)
      }
      wanted.insert(folder.isEmpty ? "." : folder)
    }
    // A directory of the same name may be another one.
    marks = wanted.sorted().map { watch.mark(folder: $0) }
  }

  /// Looks at a name; `index` is that of the file that had it until now, if one had.
  private mutating func look(
    at path: String,
    _ status: FileStatus?,
    heldAt index: Int?,
    _ now: ContinuousClock.Instant
  ) {
    // The time after which other files may have had the name.
    var since: Duration?
    if let index {
      guard status?.identity != files[index].position.identity else { return }
      let modified = files[index].file.status?.modified ?? files[index].position.modified
      files[index].position.stage = .rotated
      files[index].grown = now
      let last = min(modified, lastLooks.first ?? modified)
      since = readBetween(path, since: last, beside: nil, now)
    }
    guard let status else {
      // A file that is not there yet is waited for.
      if isFirstLook, let position = kept[path] {
        since = rotatedAway(position, beside: nil, now, isUnseen: true)
      }
      return awaitFile(path, since: since, now)
    }
    guard !files.contains(status.identity) else { return takeBack(status.identity, as: path) }
    guard status.isRegular else {
      return report(.unreadable(path: path, reason: "is not a regular file"), of: path)
    }
    open(path, status.identity, since: since, now)
  }

  /// Follows a file by a name again that was read to its end under another one.
  private mutating func takeBack(_ identity: FileIdentity, as path: String) {
    let isMeant = { (file: FollowedFile) in
      file.position.identity == identity && file.position.stage == .done
    }
    guard let index = files.firstIndex(where: isMeant) else { return }
    kept[path] = nil
    (files[index].position.path, files[index].position.stage) = (path, .current)
  }

  private mutating func open(
    _ path: String,
    _ identity: FileIdentity,
    since: Duration?,
    _ now: ContinuousClock.Instant
  ) {
    let file: OpenedFile
    do throws(SystemError) { file = try OpenedFile(path: path) } catch {
      if error.code == ENOENT { return awaitFile(path, since: since, now) }
      if error.code == EMFILE || error.code == ENFILE {
        isFull = true
        // One for all, until a look finds that each can be opened.
        return report(.full(reason: "\(error)"), of: "")
      }
      return report(.unreadable(path: path, reason: "\(error)"), of: path)
    }
    guard let status = file.status else { return }
    // One that came since is for the next look.
    guard status.identity == identity else { return awaitFile(path, since: since, now) }
    if file.isCompressed { return report(.compressed(path: path), of: path) }
    if file.isUTF16 { return report(.wide(path: path), of: path) }
    forgetProblem(of: path)
    let earlier = kept[path]
    // Without a line, few bytes are known of it.
    if let earlier, earlier.matches(file),
      earlier.offset > 0 || earlier.identity == status.identity
    {
      return follow(file, from: earlier, status, path, now)
    }
    if earlier.map({ $0.stage == .awaited }) ?? true, let position = recognized(file) {
      kept[path] = nil
      return follow(file, from: position, status, path, now)
    }
    // Its first bytes are kept before others are looked for, so that a truncation meanwhile shows.
    var position = FilePosition(number: nextNumber(), path: path, status, of: file)
    let isFirst = isFirstLook && since == nil && !isKnown(path)
    if isFirst, !rules.fromStart { position.start(at: lineStart(in: file, status.size), of: file) }
    if let earlier {
      _ = rotatedAway(earlier, beside: file, now, isUnseen: true)
    } else if since == nil {
      passOver(path, isAlone: position.head.isEmpty)
    }
    append(file, position, now)
  }

  /// Whether a name, or the pattern that it matches, was followed before.
  private func isKnown(_ path: String) -> Bool {
    if followed.isExplicit(path) { return rules.known.contains(path) }
    return !rules.known.isDisjoint(with: followed.patterns)
  }

  /// Keeps in mind that a file is not there, so that what is rotated away before it is seen is read;
  /// other files may have had the name since a time.
  private mutating func awaitFile(
    _ path: String,
    since: Duration?,
    _ now: ContinuousClock.Instant
  ) {
    if let position = kept[path] {
      if position.stage == .awaited {
        let since = readBetween(path, since: position.modified, beside: nil, now)
        kept[path]?.modified = since
      }
      return
    }
    guard since != nil || followed.isExplicit(path) else { return }
    var position = FilePosition(number: nextNumber(), awaiting: path)
    if let since { position.modified = since } else { passOver(path, isAlone: true) }
    kept[path] = position
    // Names that patterns have found may never come again.
    let others = kept.values.filter { $0.stage == .awaited && !followed.isExplicit($0.path) }
    if others.count > FilePosition.mostAwaited,
      let oldest = others.min(by: { $0.number < $1.number })
    {
      kept[oldest.path] = nil
    }
  }

  /// Goes on in a file at a position.
  mutating func follow(
    _ file: OpenedFile,
    from position: FilePosition,
    _ status: FileStatus,
    _ path: String,
    _ now: ContinuousClock.Instant,
    as stage: FilePosition.Stage = .current
  ) {
    drop(position)
    contents?.remove(position)
    var position = position
    (position.path, position.identity, position.stage) = (path, status.identity, stage)
    append(file, position, now)
  }

  /// Forgets a position that was kept.
  mutating func drop(_ position: FilePosition) {
    if kept[position.path]?.number == position.number { kept[position.path] = nil }
    done.removeAll { $0.number == position.number }
  }

  private mutating func append(
    _ file: OpenedFile,
    _ position: FilePosition,
    _ now: ContinuousClock.Instant
  ) {
    files.append(FollowedFile(file, position, now: now, watchedBy: watch))
    contents?.add(position)
  }

  /// The position of a file whose content was read under another name; `nil` if it was not.
  private mutating func recognized(_ file: OpenedFile) -> FilePosition? {
    guard var position = lastRead(in: file) else { return nil }
    let isMoved = file.status?.identity == position.identity || position.stage == .done
    // What is read of the other file goes on.
    if !isMoved || files.contains(position.identity) { position.number = nextNumber() }
    return position
  }

  /// The furthest position in a file's content; `nil` if nothing was read of that.
  mutating func lastRead(in file: OpenedFile) -> FilePosition? {
    if contents == nil { contents = ReadContents(positions) }
    return contents?.last(in: file)
  }

  /// The beginning of the last line, whose end is not there yet.
  private func lineStart(in file: OpenedFile, _ size: Int) -> Int {
    let start = max(0, size - rules.longestLine)
    return file.bytes(at: start, size - start).lastIndex(of: 0x0a).map { start + $0 + 1 } ?? start
  }
}
