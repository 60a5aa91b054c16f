import Glibc
import SondeSystem

/// Follows files by their names as `tail -F` does: through renames, deletions and truncations.
///
/// It is used by one task. What it has read is known by ``positions``; a follower that is created with
/// these goes on there, also in files that were rotated while nobody read.
public struct FileFollower: Sendable {
  private let explicit: [String]
  private let patterns: [String]
  let rules: FollowRules
  /// Files that are read, in the order of reading.
  var files: [FollowedFile] = []
  /// Positions of an earlier follower whose files were not looked for yet.
  var kept: [FilePosition]
  /// Positions of files that were read to their ends, the latest last.
  var done: [FilePosition]
  private(set) var news: [FollowNews] = []
  /// The number of lines that were too long.
  public private(set) var leftOut = 0
  private var lastNumber: Int64
  private var seenNames: Set<String>
  private var problems: [String: FollowNews] = [:]
  private var nextPatterns: ContinuousClock.Instant?
  private var matched: [String] = []
  private var isFirstLook = true
  let watch: FileWatch?
  private var folders: [FileMark] = []

  /// Creates a follower of files and patterns, which begins with the first ``look(now:)``.
  ///
  /// With a `watch`, it need not look at all files for each change.
  public init(
    _ names: [String],
    _ rules: FollowRules,
    from positions: [FilePosition] = [],
    watchedBy watch: FileWatch? = nil
  ) {
    self.watch = watch
    patterns = names.filter { FilePattern.isPattern($0) && FileStatus(path: $0) == nil }
    explicit = names.filter { [patterns] name in !patterns.contains(name) }
    self.rules = rules
    kept = positions.filter { $0.stage != .done }
    done = positions.filter { $0.stage == .done }
    lastNumber = positions.map(\.number).max() ?? 0
    seenNames = rules.known
  }

  /// How far all files have been read.
  public var positions: [FilePosition] { done + kept + files.map(\.position) }

  /// The files that are read: how far, and their descriptors, which hold until the next call.
  public var openFiles: [(position: FilePosition, descriptor: Int32)] {
    files.map { ($0.position, $0.file.number) }
  }

  /// The names and patterns that are followed.
  public var names: Set<String> { seenNames }

  /// What happened since the last call.
  public mutating func takeNews() -> [FollowNews] {
    defer { news = [] }
    return news
  }

  // MARK: - Reading

  /// Reads lines until about a number of bytes is taken; returns whether there may be more.
  public mutating func read(
    atMost limit: Int,
    now: ContinuousClock.Instant,
    _ take: (FollowedLine) -> Void
  ) -> Bool {
    var (count, index) = (0, 0)
    while index < files.count {
      guard files[index].isDue || files[index].position.stage == .rotated else {
        index += 1
        continue
      }
      guard count < limit else { return true }
      if files[index].wasFilled {
        begin(index, now)
        continue
      }
      let before = files[index].position.offset
      let reading = files[index].read(
        rules,
        now: now,
        tooLong: &leftOut,
        take
      )
      count += max(0, files[index].position.offset - before)
      switch reading {
      case .more: continue
      case .end:
        files[index].isDue = false
        index += 1
      case .truncated: restart(index, now)
      }
    }
    finishRotated(now, take)
    return false
  }

  /// Ends the files that were rotated away and no longer grow.
  private mutating func finishRotated(
    _ now: ContinuousClock.Instant,
    _ take: (FollowedLine) -> Void
  ) {
    let isOver = { [rules] (file: FollowedFile) in
      file.position.stage == .rotated && now - file.grown >= rules.grace
    }
    for index in files.indices where isOver(files[index]) {
      files[index].finish(rules, tooLong: &leftOut, take)
    }
    let ended = files.filter { $0.position.stage == .done }.map(\.position)
    files.removeAll { $0.position.stage == .done }
    for position in ended { remember(position) }
  }

  /// Ends all files that were rotated away, whether or not they might grow.
  public mutating func finish(_ take: (FollowedLine) -> Void) {
    let end = ContinuousClock.now + rules.grace
    finishRotated(end, take)
  }

  /// Whether files are there that were rotated away and may still grow.
  public var hasRotated: Bool { files.contains { $0.position.stage == .rotated } }

  mutating func remember(_ position: FilePosition) {
    var position = position
    position.stage = .done
    if position.offset > 0 {
      done.removeAll { $0.identity == position.identity && $0.head == position.head }
      done.append(position)
    }
    if done.count > FilePosition.mostDone { done.removeFirst(done.count - FilePosition.mostDone) }
  }

  // MARK: - Names

  /// Takes changes that want no look.
  public mutating func hear(_ changes: FileChanges) {
    for index in files.indices { files[index].hear(changes) }
  }

  /// Looks at all names; a file that is new is opened, and one that is gone is read to its end.
  public mutating func look(now: ContinuousClock.Instant) {
    for index in files.indices { files[index].isDue = true }
    defer { watchFolders() }
    if nextPatterns.map({ now >= $0 }) ?? true {
      matched = patterns.flatMap { FilePattern.names($0) }
      nextPatterns = now + rules.patternInterval
    }
    var names = explicit + matched.filter { !explicit.contains($0) }
    if isFirstLook {
      // Where files of an earlier run no longer match, they were rotated away.
      for position in kept where position.stage == .rotated { resume(position, now) }
      let left = kept.filter { !names.contains($0.path) }
      let isMatched = { [patterns] (path: String) in
        patterns.contains { FilePattern.matches(path, $0) }
      }
      names += left.map(\.path).filter(isMatched)
      for position in left where !isMatched(position.path) {
        kept.removeAll { $0.number == position.number }
        remember(position)
      }
    }
    for name in names { look(at: name, now) }
    if isFirstLook {
      seenNames.formUnion(explicit + patterns)
      isFirstLook = false
    }
  }

  /// Watches the directories of all names, or of those that are not there yet what is there of their
  /// paths.
  private mutating func watchFolders() {
    guard let watch else { return }
    var wanted: Set<String> = []
    for folder in Set((explicit + matched).map { SondeSystem.folder(of: $0) }) {
      var folder = folder
      while !folder.isEmpty, folder != "/", FileStatus(path: folder) == nil {
        while folder.hasSuffix("/"), folder.count > 1 { folder.removeLast() }
        folder = SondeSystem.folder(of: folder)
      }
      wanted.insert(folder.isEmpty ? "." : folder)
    }
    // A directory of the same name may be another one.
    folders = wanted.sorted().map { watch.mark(folder: $0) }
  }

  private mutating func look(at path: String, _ now: ContinuousClock.Instant) {
    let status = FileStatus(path: path)
    let index = files.firstIndex { $0.position.path == path && $0.position.stage == .current }
    // The time of the file that had the name until now, if one had.
    var since: Duration?
    if let index {
      guard let status, status.identity != files[index].position.identity else { return }
      files[index].position.stage = .rotated
      files[index].grown = now
      let rotated = files[index]
      let modified = rotated.file.status?.modified ?? rotated.position.modified
      since = modified
      readBetween(path, since: modified, beside: nil, now)
    }
    guard let status else {
      // A file that is not there yet is waited for.
      if let position = kept.first(where: { $0.path == path }), isFirstLook {
        rotatedAway(position, beside: nil, now, isUnseen: true)
      }
      return awaitFile(path, since: since)
    }
    guard !files.contains(where: { $0.position.identity == status.identity }) else { return }
    guard status.isRegular else {
      return report(.unreadable(path: path, reason: "is not a regular file"), of: path)
    }
    open(path, since: since, now)
  }

  private mutating func open(
    _ path: String,
    since: Duration?,
    _ now: ContinuousClock.Instant
  ) {
    let file: OpenedFile
    do throws(SystemError) { file = try OpenedFile(path: path) } catch {
      if error.code == ENOENT { return awaitFile(path, since: since) }
      return report(.unreadable(path: path, reason: "\(error)"), of: path)
    }
    guard let status = file.status else { return }
    if file.isCompressed { return report(.compressed(path: path), of: path) }
    if file.isUTF16 { return report(.wide(path: path), of: path) }
    problems[path] = nil
    let earlier = kept.first { $0.path == path }
    // Without a line, few bytes are known of it.
    if let earlier, earlier.matches(file),
      earlier.offset > 0 || earlier.identity == status.identity
    {
      return follow(file, from: earlier, status, path, now)
    }
    if earlier.map({ $0.stage == .awaited }) ?? true, let position = recognized(file) {
      kept.removeAll { $0.number == earlier?.number }
      return follow(file, from: position, status, path, now)
    }
    // Its first bytes are kept before others are looked for, so that a truncation meanwhile shows.
    var position = FilePosition(number: nextNumber(), path: path, status, of: file)
    let isFirst = isFirstLook && since == nil && !isKnown(path)
    if isFirst, !rules.fromStart { position.start(at: lineStart(in: file, status.size), of: file) }
    if let earlier { rotatedAway(earlier, beside: file, now, isUnseen: true) }
    if position.head.isEmpty, since == nil, earlier == nil { passOver(path) }
    files.append(FollowedFile(file, position, now: now, watchedBy: watch))
  }

  /// Keeps in mind that a file is not there, so that what is rotated away before it is seen is read;
  /// `since` is the time of the file that was there.
  private mutating func awaitFile(_ path: String, since: Duration?) {
    guard explicit.contains(path), !kept.contains(where: { $0.path == path }) else { return }
    var position = FilePosition(number: nextNumber(), awaiting: path)
    if let since { position.modified = since } else { passOver(path) }
    kept.append(position)
  }

  /// Whether a file is followed by its own name or a pattern.
  func isFollowed(_ path: String) -> Bool {
    explicit.contains(path) || patterns.contains { FilePattern.matches(path, $0) }
  }

  /// Whether a name, or the pattern that it matches, was followed before.
  private func isKnown(_ path: String) -> Bool {
    if explicit.contains(path) { return rules.known.contains(path) }
    return !rules.known.isDisjoint(with: patterns)
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
    var position = position
    kept.removeAll { $0.number == position.number }
    done.removeAll { $0.number == position.number }
    (position.path, position.identity, position.stage) = (path, status.identity, stage)
    files.append(FollowedFile(file, position, now: now, watchedBy: watch))
  }

  mutating func nextNumber() -> Int64 {
    lastNumber += 1
    return lastNumber
  }

  /// The position of a file whose content was read under another name; `nil` if it was not.
  private mutating func recognized(_ file: OpenedFile) -> FilePosition? {
    let all = done + kept + files.map(\.position)
    let known = all.filter { $0.offset > 0 && $0.matches(file) }
    guard var position = known.max(by: { $0.offset < $1.offset }) else { return nil }
    // What is read of the other file goes on.
    let isMoved = file.status?.identity == position.identity || position.stage == .done
    if !isMoved { position.number = nextNumber() }
    return position
  }

  /// The beginning of the last line, whose end is not there yet.
  private func lineStart(in file: OpenedFile, _ size: Int) -> Int {
    let start = max(0, size - rules.longestLine)
    return file.bytes(at: start, size - start).lastIndex(of: 0x0a).map { start + $0 + 1 } ?? start
  }

  mutating func report(_ event: FollowNews, of path: String) {
    guard problems[path] != event else { return }
    problems[path] = event
    news.append(event)
  }

  mutating func reportLoss(of position: FilePosition) {
    news.append(.lost(path: position.path, offset: position.offset))
  }
}
