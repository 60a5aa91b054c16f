import SondeFollow
import SondeInputs
package import SondeRecords
package import SondeSQLite
package import SondeSystem

/// Follows a log and counts its hits, on a thread of its own.
///
/// How far it was read, and what was counted, become one transaction a second.
package actor LiveLog {
  /// The number of bytes that are read in a step.
  private static let step = 1 << 20
  /// What is counted, in pairs of an address and its hits in a step, before it is kept early.
  private static let mostPairs = 200_000
  /// The same, beyond which nothing is read while it cannot be kept.
  private static let mostUnkept = 400_000
  private static let commitPace = Duration.seconds(1)
  /// For how long an answer is not asked for again, in seconds.
  package static let longestAnswer = LogBook.longestAnswer

  private let executor = BlockingExecutor(label: "sonde.live")
  package nonisolated let id: String
  package nonisolated let name: String
  package nonisolated let path: String
  /// The path of the file in which it is kept.
  package nonisolated let file: String

  private let database: LogDatabase
  private let zone: TimeZoneRules
  private let say: @Sendable (String) -> Void
  private var book: LogBook
  private var follower: FileFollower?
  private var saved: [FilePosition] = []
  private let since: Int64
  /// Whether it was kept before; until then its file is one that is seen for the first time.
  private var isBegun: Bool
  private var totals: LogDatabase.Totals
  private var settled: [UInt32: (answer: LogAnswer, place: UInt32?)] = [:]
  private var newPlaces: [UInt32] = []
  private var status: LogStatus
  private var nextCommit = ContinuousClock.now
  /// Lines from before the start have their own times.
  private var isCatchingUp: Bool
  private let start: Int64
  private var parser: LineTimeParser
  /// When all that was there had been read.
  private var caughtUp = ContinuousClock.now
  private var isUnkept = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Opens what is kept of a log, and goes on there; `-` is standard input, whose lines are given.
  ///
  /// The table of records has `columns`, times without a zone are in `zone`, and `say` reports a
  /// problem once.
  /// - Throws: ``SQLiteError``.
  package init(
    _ place: LogPlaceOnDisk,
    columns: [Field],
    zone: TimeZoneRules,
    say: @escaping @Sendable (String) -> Void
  ) throws(SQLiteError) {
    (id, name, path, file) = (place.id, place.name, place.path, place.file)
    (self.zone, self.say) = (zone, say)
    status = LogStatus(ofFile: place.path != FollowedPath.input)
    let now = Timestamp.now
    start = now.seconds
    parser = LineTimeParser(zone: zone, lead: LineTimeParser.longestSkew)
    let database = try LogDatabase(place.file, columns: columns)
    let known = try database.totals()
    let isNew = known == nil
    let bounds = StepBounds(at: now.seconds)
    let kept = known ?? (now.seconds, LogDatabase.Totals(lines: 0, hits: 0, bounds: bounds))
    (since, totals) = kept
    isBegun = !isNew
    book = try Self.book(of: database, kept.totals.bounds, at: now.seconds)
    self.database = database
    isCatchingUp = !isNew
    guard place.path != FollowedPath.input else { return }
    var rules = FollowRules()
    rules.cutsLongLines = true
    // A file that comes later is read from its beginning.
    if !isNew { rules.known = [place.path] }
    (saved, _) = try PositionTable.read(database.database)
    follower = FileFollower([place.path], rules, from: saved)
  }

  /// What was counted before, with all steps that are over folded.
  private static func book(
    of database: LogDatabase,
    _ bounds: StepBounds,
    at now: Int64
  ) throws(SQLiteError) -> LogBook {
    var book = LogBook(bounds)
    book.restore(try database.places())
    try database.forEachAddress { book.restore($0) }
    for (length, range) in bounds.parts(of: .fiveMinutes, at: now) {
      try database.forEachStep(length, in: range) { start, bytes in
        StepCounts.forEach(in: bytes) { number, _ in book.restore(number, seenAt: start) }
      }
    }
    return book
  }

  // MARK: - Reading

  /// Reads further lines, and keeps what was counted when it is time; returns whether there may be
  /// more lines.
  package func step() -> Bool {
    let hasMore = read()
    if ContinuousClock.now >= nextCommit || book.tally.pairs > Self.mostPairs { keep() }
    return hasMore
  }

  private func read() -> Bool {
    guard var follower else { return false }
    guard !isUnkept || book.tally.pairs < Self.mostUnkept else { return false }
    let now = ContinuousClock.now
    follower.look(now: now)
    var lines: [FollowedLine] = []
    let hasMore = follower.read(atMost: Self.step, now: now) { lines.append($0) }
    let news = follower.takeNews()
    self.follower = follower
    take(lines.map(\.bytes))
    for each in news { tell(each) }
    if !hasMore { (isCatchingUp, caughtUp) = (false, now) }
    watch(follower)
    return hasMore
  }

  /// Counts lines that were read now.
  package func take(_ lines: [ArraySlice<UInt8>]) {
    let now = Timestamp.now.seconds
    for (index, line) in lines.enumerated() {
      let isShown = index >= lines.count - LogNews.mostLines
      book.take(line, at: time(of: line) ?? now, now: now, isShown: isShown)
    }
  }

  /// The time of a line from before the start, in seconds since 1970 UTC; `nil` for any other.
  private func time(of line: ArraySlice<UInt8>) -> Int64? {
    guard isCatchingUp else { return nil }
    let time = parser.time(in: line.span, from: 0).map { Timestamp(milliseconds: $0).seconds }
    return min(time ?? start, start)
  }

  /// Notes whether the file is there.
  private func watch(_ follower: FileFollower) {
    let isThere = follower.positions.contains { $0.stage == .current }
    if isThere {
      status.found()
    } else if FileStatus(path: path) == nil, status.wait("there is no such file") {
      say("\(escapedForPerson(path)): there is no such file; it is waited for")
    }
  }

  private func tell(_ news: FollowNews) {
    let shown = escapedForPerson(path)
    switch news {
    case .lost(_, let offset):
      say("\(shown): what was behind byte \(offset) is gone or compressed")
    case .unreadable(_, let reason), .full(let reason):
      if status.wait(reason) { say("\(shown): \(reason); it is waited for") }
    case .missing: break
    case .wide:
      if status.wait("UTF-16 is not followed") { say("\(shown): UTF-16 is not followed") }
    case .compressed:
      if status.wait("compressed files are not followed") {
        say("\(shown): compressed files are not followed")
      }
    }
  }

  /// Notes that no more lines come from standard input.
  package func endInput() { _ = status.wait("the input has ended") }

  // MARK: - Keeping

  /// Keeps what was counted, with how far it was read; tries again later if that is not possible.
  package func keep() {
    nextCommit = .now + Self.commitPace
    let positions = follower?.positions ?? []
    let now = Timestamp.now.seconds
    var bounds = book.bounds
    let foldings = bounds.advance(to: now)
    guard
      !isBegun || !book.tally.isEmpty || !settled.isEmpty || positions != saved || !foldings.isEmpty
    else {
      return
    }
    do throws(SQLiteError) {
      try keep(positions, foldings, bounds, at: now)
    } catch {
      if !isUnkept {
        say("\(escapedForPerson(path)): what is counted is not kept: \(error.message)")
      }
      isUnkept = true
      status.trouble = "what is counted is not kept: \(error.message)"
    }
  }

  private func keep(
    _ positions: [FilePosition],
    _ foldings: [StepBounds.Folding],
    _ bounds: StepBounds,
    at now: Int64
  ) throws(SQLiteError) {
    var totals = totals
    totals.lines += Int64(book.tally.lines)
    totals.hits += Int64(book.tally.hits)
    totals.bounds = bounds
    let forgotten = try database.transaction { () throws(SQLiteError) -> [UInt32] in
      if !isBegun { try database.begin(path, at: since) }
      try PositionTable.save(positions, after: saved, in: database.database) { _ in nil }
      try write()
      for folding in foldings { try database.fold(folding) }
      var forgotten: [UInt32] = []
      if !foldings.isEmpty {
        let start = StepLength.fiveMinutes.range(at: now).lowerBound
        forgotten = book.unseen(among: try database.removeSteps(at: now), since: start)
        try database.remove(forgotten)
      }
      try database.save(totals, at: now)
      return forgotten
    }
    (self.totals, saved, book.bounds, isBegun) = (totals, positions, bounds, true)
    _ = book.takeTally()
    book.forget(forgotten)
    (settled, newPlaces, isUnkept, status.trouble) = ([:], [], false, nil)
  }

  private func write() throws(SQLiteError) {
    for number in book.tally.newNumbers {
      let (address, zone) = (book.numbers.address(of: number), book.numbers.zone(of: number))
      try database.add(number, address, zone)
    }
    for (step, counts) in book.tally.steps { try database.add(counts, to: step) }
    for number in newPlaces { try database.add(book.places[Int(number)], number) }
    for (answer, place) in settled.values { try database.settle(answer, place: place) }
  }

  // MARK: - Answers

  /// The number of addresses that wait for their answers.
  package var waiting: Int { book.waiting }

  /// Takes up to so many of the addresses to ask about.
  package func questions(atMost count: Int) -> [LogQuestion] { book.takeQuestions(atMost: count) }

  /// Takes answers, which are kept with the next transaction.
  package func settle(_ answers: [LogAnswer]) {
    for answer in answers {
      guard let (place, isNew) = book.settle(answer) else { continue }
      settled[answer.number] = (answer, place)
      if isNew, let place { newPlaces.append(place) }
    }
  }

  // MARK: - Telling

  /// The log as it is now.
  package var info: LogInfo {
    var info = LogInfo(id: id, name: name, path: path, since: since)
    (info.isWaiting, info.detail) = (status.isWaiting, status.trouble ?? status.detail)
    info.lines = Int(totals.lines) + book.tally.lines
    info.hits = Int(totals.hits) + book.tally.hits
    let behind = ContinuousClock.now - caughtUp
    info.behind = follower == nil || status.isWaiting ? .zero : behind
    return info
  }

  /// What happened since this was last called; `nil` if nothing did.
  package func takeNews() -> [UInt8]? {
    guard !book.news.isEmpty else { return nil }
    let news = book.takeNews()
    return object(news.hits, places(of: news), news.newLines)
  }

  /// The newest lines, for one who has just come.
  package func latest() -> [UInt8] { object(0, [], book.news.lines[...]) }

  private func object(
    _ hits: Int,
    _ places: [JSONObject],
    _ lines: ArraySlice<LatestLine>
  ) -> [UInt8] {
    var object = JSONObject()
    object.add("id", id)
    object.add("hits", hits)
    object.add("places", objects: places)
    object.add("lines", lines.map(text))
    return object.bytes
  }

  private func text(_ line: LatestLine) -> String {
    let text = line.text { number in words(of: number) }
    return text.span.repaired(maximum: LatestLine.longest)
  }

  private func words(of number: UInt32) -> [UInt8] {
    if number == AddressNumbers.others { return [] }
    if let (answer, _) = settled[number] { return answer.words }
    let known = try? database.words(of: number)
    return (known ?? nil) ?? Array(" [pending]".utf8)
  }

  /// The most places of one event.
  private static let mostPlaces = 100

  private func places(of news: LogNews) -> [JSONObject] {
    var hits: [LogPlace: Int] = [:]
    for (number, count) in news.counts {
      if let place = book.place(of: number) { hits[place, default: 0] += count }
    }
    let most = hits.sorted { ($1.value, $0.key.name) < ($0.value, $1.key.name) }
    return most.prefix(Self.mostPlaces).map { place, count in
      var object = JSONObject()
      object.add("latitude", place.latitude)
      object.add("longitude", place.longitude)
      object.add("hits", count)
      object.add("name", place.name)
      return object
    }
  }
}
