import Glibc
import SondeSystem

/// Which files have the names that are followed.
extension FileFollower {
  /// Looks at all names; a file that is new is opened, and one that is gone is read to its end.
  public mutating func look(now: ContinuousClock.Instant) {
    let time = Duration.milliseconds(Timestamp.now.milliseconds)
    contents = nil
    for index in files.indices { files[index].isDue = true }
    if nextPatterns.map({ now >= $0 }) ?? true {
      matched = followed.matches
      mostNames = max(mostNames, followed.explicit.count + matched.count)
      nextPatterns = now + rules.patternInterval
    }
    let names = followed.explicit + matched
    let named = Set(names)
    if isFirstLook { resume(besides: named, now) }
    let awaited = kept.keys.filter { !named.contains($0) }.sorted()
    let current = files.indices.filter { files[$0].position.stage == .current }
    let indices = Dictionary(current.map { (files[$0].position.path, $0) }) { first, _ in first }
    // Patterns may have lost a name whose file is still held.
    let lost = indices.keys.filter { !named.contains($0) && kept[$0] == nil }.sorted()
    let all = names + awaited + lost
    // What has had a name before is in its directory now, if that is read after this.
    let statuses = all.map { FileStatus(path: $0) }
    folders.begin()
    isFull = false
    settle(indices, now)
    for (name, status) in zip(all, statuses) {
      look(at: name, status, heldAt: indices[name], now)
    }
    folders.end()
    release(now)
    if let firstLook, now - firstLook >= rules.missingTime { reportMissing() }
    if !isFull { forgetProblem(of: "") }
    if isFirstLook {
      firstLook = now
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
    for position in rotated where !find(position, now) { _ = reportRest(of: position) }
    holdWritten(now)
  }

  /// Reports names and patterns that may be mistyped: those of no file so far.
  mutating func reportMissing() {
    firstLook = nil
    let unmatched = followed.patterns.filter { pattern in
      !rules.known.contains(pattern) && !matched.contains { FilePattern.matches($0, pattern) }
    }
    for name in followed.explicit.filter(unmet.contains) + unmatched where !isFull {
      report(.missing(name: name), of: name)
    }
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
    if status != nil { unmet.remove(path) }
    // The time after which other files may have had the name.
    var since: Duration?
    var isRenamed = false
    if let index {
      guard status?.identity != files[index].position.identity else { return }
      let modified = files[index].file.status?.modified ?? files[index].position.modified
      files[index].rotate(now)
      isRenamed = folders.path(of: files[index].position.identity, beside: path) != nil
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
    guard !files.contains(status.identity) else {
      return takeBack(status.identity, as: path, now)
    }
    guard status.isRegular else {
      return report(.unreadable(path: path, reason: "is not a regular file"), of: path)
    }
    open(path, status.identity, since: since, isRenamed: isRenamed, now)
  }

  /// Follows a file by a name again that was rotated away from another one.
  private mutating func takeBack(
    _ identity: FileIdentity,
    as path: String,
    _ now: ContinuousClock.Instant
  ) {
    let isMeant = { (file: FollowedFile) in
      file.position.identity == identity && file.position.stage != .current
    }
    guard let index = files.firstIndex(where: isMeant) else { return }
    (files[index].position.path, files[index].position.stage) = (path, .current)
    // What had the name before.
    guard let earlier = kept.removeValue(forKey: path), earlier.stage != .awaited else { return }
    _ = rotatedAway(earlier, beside: files[index].file, now, isUnseen: true)
  }

  private mutating func open(
    _ path: String,
    _ identity: FileIdentity,
    since: Duration?,
    isRenamed: Bool,
    _ now: ContinuousClock.Instant
  ) {
    let (file, head): (OpenedFile, [UInt8])
    do throws(SystemError) {
      file = try OpenedFile(path: path, sparing: OpenedFile.spared)
      head = try file.read(at: 0, FilePosition.markLength)
    } catch {
      if error.code == ENOENT || since != nil { awaitFile(path, since: since, now) }
      if error.code == ENOENT { return }
      if isFirstLook { unopened.insert(path) }
      if error.isOfDescriptors {
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
    if let earlier, earlier.matches(file), isSame(earlier, status.identity) {
      return follow(file, from: earlier, status, path, now)
    }
    let isBefore = earlier.map { $0.stage != .awaited } ?? false
    // Where the former file has another name, no copy of it comes in its place.
    let isCopied = !isRenamed && !isBefore || head.count == FilePosition.markLength
    if let position = recognized(file), isCopied || position.identity == status.identity {
      if let earlier, isBefore {
        _ = rotatedAway(earlier, beside: file, now, isUnseen: true)
        guard !files.contains(status.identity) else {
          return takeBack(status.identity, as: path, now)
        }
      }
      kept[path] = nil
      return follow(file, from: position, status, path, now)
    }
    // Its first bytes are kept before others are looked for, so that a truncation meanwhile shows.
    var position = FilePosition(number: nextNumber(), path: path, status, of: file)
    let isFirst = (isFirstLook || unopened.contains(path)) && since == nil && !isKnown(path)
    unopened.remove(path)
    if isFirst, !rules.fromStart { position.start(at: lineStart(in: file, status.size), of: file) }
    if let earlier {
      _ = rotatedAway(earlier, beside: file, now, isUnseen: true)
      guard !files.contains(status.identity) else {
        return takeBack(status.identity, as: path, now)
      }
    } else if since == nil {
      passOver(path, isAlone: position.head.isEmpty)
    }
    // It comes behind what was found.
    position.number = nextNumber()
    append(file, position, now)
  }

  /// Whether a file at the name of a position is the one that was read, or a copy in its place.
  ///
  /// Where few bytes are known of it, such as a header, it may have been compressed, too.
  private mutating func isSame(_ earlier: FilePosition, _ identity: FileIdentity) -> Bool {
    if earlier.identity == identity { return true }
    guard folders.path(of: earlier.identity, beside: earlier.path) == nil else { return false }
    return earlier.head.count == FilePosition.markLength
      || compressed(earlier.path, since: earlier.modified).isEmpty
  }

  /// Whether a name, or the pattern that it matches, was followed before.
  private func isKnown(_ path: String) -> Bool {
    if followed.isExplicit(path) { return rules.known.contains(path) }
    return followed.patterns.contains {
      rules.known.contains($0) && FilePattern.matches(path, $0)
    }
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
    guard !followed.isExplicit(path) else { return }
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
    done.remove(position.number)
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
    let first = max(0, size - rules.longestLine)
    var end = size
    while end > first {
      let start = max(first, end - Self.piece)
      let last = file.bytes(at: start, end - start).lastIndex(of: 0x0a)
      if let last { return start + last + 1 }
      end = start
    }
    return first
  }

  /// The number of bytes in which a line end is searched for at once.
  private static let piece = 64 << 10
}
