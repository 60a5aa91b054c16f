import Glibc
import SondeSystem

/// Follows files by their names as `tail -F` does: through renames, deletions and truncations.
///
/// It is used by one task. What it has read is known by ``positions``; a follower that is created with
/// these goes on there, also in files that were rotated while nobody read.
public struct FileFollower: Sendable {
  let followed: FollowedNames
  let rules: FollowRules
  var files = FollowedFiles()
  /// Positions of names whose files are not there, or were not looked for since an earlier follower.
  var kept: [String: FilePosition]
  /// Positions of an earlier follower in files that were rotated away, until the first look.
  var rotatedBefore: [FilePosition]
  /// Positions of files that were read to their ends and let go, the latest last.
  var done: DonePositions
  /// The contents that were read; `nil` until they are asked for.
  var contents: ReadContents?
  var folders: FolderNames
  private var news: [FollowNews] = []
  private var problems: [String: FollowNews] = [:]
  /// Whether the last look found files for which there was no descriptor.
  var isFull = false
  /// Whether some of the files that were rotated away could not be opened now.
  var wasCutShort = false
  /// The number of lines that were too long.
  public private(set) var leftOut = 0
  private var lastNumber: Int64
  var seenNames: Set<String>
  var nextPatterns: ContinuousClock.Instant?
  /// The names that patterns have found.
  var matched: [String] = []
  /// The most names that there were at once.
  var mostNames: Int
  var isFirstLook = true
  /// The names that no file has had so far.
  var unmet: Set<String>
  /// When the first look was, until those were reported.
  var firstLook: ContinuousClock.Instant?
  /// Names beside which files may still be found, moved on while their directories were read: since
  /// which times, and how long.
  var unsettled: [String: [(since: Duration, until: ContinuousClock.Instant)]] = [:]
  /// The compressed files that were reported as not read, and when those were written.
  var toldCompressed: [FileIdentity: Duration] = [:]
  /// Names of files that were there at the first look, and could not be opened.
  var unopened: Set<String> = []
  /// The file with which the next reading begins.
  private var turn = 0
  /// When names were looked at the last two times, since 1970.
  var lastLooks: [Duration] = []
  let watch: FileWatch?
  var marks: [FileMark] = []

  /// Creates a follower of files and patterns, which begins with the first ``look(now:)``.
  ///
  /// With a `watch`, it need not look at all files for each change.
  public init(
    _ names: [String],
    _ rules: FollowRules,
    from positions: [FilePosition] = [],
    watchedBy watch: FileWatch? = nil
  ) {
    (self.rules, self.watch) = (rules, watch)
    let followed = FollowedNames(names)
    self.followed = followed
    folders = FolderNames { followed.contains($0) }
    let waiting = positions.filter { $0.stage == .current || $0.stage == .awaited }
    kept = Dictionary(waiting.map { ($0.path, $0) }) { _, last in last }
    rotatedBefore = positions.filter { $0.stage == .rotated }
    done = DonePositions(positions.filter { $0.stage == .done || $0.stage == .passedOver })
    lastNumber = positions.map(\.number).max() ?? 0
    mostNames = waiting.count
    seenNames = rules.known
    unmet = Set(followed.explicit).subtracting(rules.known)
  }

  /// How far all files have been read.
  public var positions: [FilePosition] {
    Array(done) + rotatedBefore + kept.values + files.map(\.position)
  }

  /// The files that are read: how far, and their descriptors, which hold until the next call.
  public var openFiles: [(position: FilePosition, descriptor: Int32)] {
    files.map { ($0.position, $0.file.number) }
  }

  /// The names and patterns that are followed, but those that could not be opened so far.
  public var names: Set<String> { seenNames.subtracting(unopened) }

  mutating func nextNumber() -> Int64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: - News

  /// What happened since the last call.
  public mutating func takeNews() -> [FollowNews] {
    defer { news = [] }
    return news
  }

  mutating func report(_ event: FollowNews, of path: String) {
    guard problems[path] != event else { return }
    problems[path] = event
    news.append(event)
  }

  mutating func forgetProblem(of path: String) { problems[path] = nil }

  /// Forgets that a file could not be read, so that another time is reported, too.
  private mutating func forgetFailure(of path: String) {
    if !problems.isEmpty { forgetProblem(of: path) }
  }

  mutating func reportLoss(of path: String, behind offset: Int) {
    news.append(.lost(path: path, offset: offset))
  }

  // MARK: - Reading

  /// Reads lines until about a number of bytes is taken; returns whether there may be more.
  ///
  /// All files have their turns, but the one of a name waits for those that had the name before.
  public mutating func read(
    atMost limit: Int,
    now: ContinuousClock.Instant,
    _ take: (FollowedLine) -> Void
  ) -> Bool {
    folders.begin()
    contents = nil
    defer { folders.end() }
    var (count, hasMore) = (0, true)
    while hasMore {
      let isWaiting = waiting
      hasMore = readPieces(isWaiting, now, atMost: limit, &count, take)
      if count >= limit, hasMore { return true }
      // Those that waited for others.
      hasMore = hasMore || isWaiting.contains(true) && waiting != isWaiting
    }
    finishRotated(now, take)
    return false
  }

  /// Reads a piece of each file that does not wait for another; returns whether there may be more.
  private mutating func readPieces(
    _ isWaiting: [Bool],
    _ now: ContinuousClock.Instant,
    atMost limit: Int,
    _ count: inout Int,
    _ take: (FollowedLine) -> Void
  ) -> Bool {
    var hasMore = false
    // Others come before these.
    var begun: [Int64] = []
    for place in files.indices {
      let index = (turn + place) % files.count
      guard files[index].isDue || files[index].position.stage == .rotated, !isWaiting[index]
      else { continue }
      guard count < limit else {
        (turn, hasMore) = (index, true)
        break
      }
      guard !files[index].wasFilled else {
        begun.append(files[index].position.number)
        continue
      }
      let before = files[index].position.offset
      switch files[index].read(rules, now: now, tooLong: &leftOut, take) {
      case .more:
        hasMore = true
        forgetFailure(of: files[index].position.path)
      case .end:
        files[index].isDue = false
        forgetFailure(of: files[index].position.path)
      case .truncated: begun.append(files[index].position.number)
      case .failed(let error):
        files[index].isDue = false
        let path = files[index].position.path
        report(.unreadable(path: path, reason: "\(error)"), of: path)
      }
      count += max(0, files[index].position.offset - before)
    }
    // A copy may have been made over a file that was rotated away, which is then let go.
    let current = Set(files.lazy.filter { $0.position.stage == .current }.map(\.position.number))
    for number in begun.filter({ !current.contains($0) }) + begun.filter(current.contains) {
      guard let index = files.firstIndex(where: { $0.position.number == number }) else { continue }
      if files[index].wasFilled { begin(index, now) } else { restart(index, now) }
    }
    return hasMore || !begun.isEmpty
  }

  /// Of each file, whether one that had its name before was not read to its end.
  private var waiting: [Bool] {
    var names: Set<String> = []
    return files.map { file in
      let isWaiting = !names.isEmpty && names.contains(file.position.path)
      if file.position.stage == .rotated, !file.isAtEnd { names.insert(file.position.path) }
      return isWaiting
    }
  }

  /// Ends the files that were rotated away and no longer grow.
  private mutating func finishRotated(
    _ now: ContinuousClock.Instant,
    _ take: (FollowedLine) -> Void
  ) {
    for index in files.indices
    where files[index].position.stage == .rotated && now - files[index].grown >= rules.grace {
      files[index].finish(rules, tooLong: &leftOut, take)
    }
  }

  /// Ends all files that were rotated away, whether or not they might grow.
  public mutating func finish(_ take: (FollowedLine) -> Void) {
    let end = ContinuousClock.now + rules.grace
    finishRotated(end, take)
    if firstLook != nil { reportMissing() }
  }

  /// Whether files are there that were rotated away and may still grow.
  public var hasRotated: Bool { files.contains { $0.position.stage == .rotated } }

  /// Whether files may still be found that were moved on during the last look.
  public var wantsSecondLook: Bool { !unsettled.isEmpty }

  /// Lets files go that were read to their ends, once they are deleted or nobody seems to write to them.
  mutating func release(_ now: ContinuousClock.Instant) {
    let count = files.count { $0.position.stage == .done }
    guard count > 0 else { return }
    var surplus = count - FilePosition.mostHeld - nameCount
    let released = files.remove { [rules, isFull] file in
      guard file.position.stage == .done else { return false }
      surplus -= 1
      return isFull || surplus >= 0 || now - file.grown >= rules.holdTime
        || file.file.status?.links == 0
    }
    for position in released { remember(position) }
  }

  /// Keeps in mind what was read of a file that is let go.
  mutating func remember(_ position: FilePosition) {
    guard position.offset > 0 else { return }
    var position = position
    if position.stage != .passedOver { position.stage = .done }
    done.add(position)
    contents?.add(position)
    done.limit(
      toRead: FilePosition.mostDone + 2 * nameCount,
      passedOver: FilePosition.mostDone + nameCount
    )
  }

  private var nameCount: Int { max(seenNames.count, mostNames) }

  /// Takes changes that want no look.
  public mutating func hear(_ changes: FileChanges) {
    for index in files.indices { files[index].hear(changes) }
  }
}
