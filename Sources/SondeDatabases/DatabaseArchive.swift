import SondeAddresses
public import SondeRecords
import Synchronization

/// Databases of several days, of which each question needs those of its time.
///
/// A database is opened once one of its answers is needed, and only a few stay open: those that were
/// needed last.
public final class DatabaseArchive: Sendable {
  private typealias Entry = LocalDatabases.Entry

  private struct State {
    /// The open databases, by the numbers of their files, each with the turn in which it was needed.
    var open: [Int: (entry: Entry, turn: UInt64)] = [:]
    var turn: UInt64 = 0
    /// The databases of each period that were chosen last; `nil` if one of them may be closed.
    var chosen: [BuildPeriod: LocalDatabases] = [:]
    /// The numbers of the files that have answered and are closed again.
    var answered: Set<Int> = []
  }

  /// How many databases usually stay open.
  public static let usualOpen = 8

  /// The times that it distinguishes.
  public let periods: BuildPeriods
  private let files: [DatedDatabase]
  /// For each number of builds, the numbers of the files that were the newest of their types then.
  private let newest: [[Int]]
  private let damages: [DamageLog]
  private let tables: CompiledDatabases?
  private let mostOpen: Int
  private let state = Mutex(State())

  /// Creates an archive, of which nothing is opened yet.
  ///
  /// - Parameters:
  ///   - files: The databases; their types are preferred in the order of their first ones.
  ///   - tables: How they are compiled; `nil` if they are not.
  ///   - mostOpen: How many may be open, at least one of each type.
  public init(_ files: [DatedDatabase], tables: CompiledDatabases? = nil, mostOpen: Int = usualOpen)
  {
    let builds = Set(files.map(\.date)).sorted()
    (self.files, self.tables) = (files, tables)
    periods = BuildPeriods(builds: builds)
    newest = [[]] + builds.map { files.newestNumbers(asOf: $0) }
    damages = files.map { DamageLog(path: $0.path) }
    self.mostOpen = max(mostOpen, Set(files.map(\.type)).count)
  }

  /// A warning for each database that was damaged, or gone, when it was needed.
  var warnings: [String] { damages.compactMap(\.warning) }

  /// All databases, in the order of their types.
  var builds: [LocalDatabases.Build] {
    state.withLock { state in
      files.enumerated().map { number, file in
        LocalDatabases.Build(
          path: file.path,
          source: file.type == DatedDatabase.liblocType ? .libloc : .mmdb,
          date: file.date,
          hasAnswered: state.answered.contains(number)
            || state.open[number]?.entry.answers ?? false
        )
      }
    }
  }

  /// The number of databases that are open.
  var openCount: Int { state.withLock { $0.open.count } }

  /// Looks up addresses, each in the databases of its period.
  func lookUp(_ addresses: [Address], in periods: [BuildPeriod]) -> RecordBlock {
    var block = RecordBlock()
    // Without a time there is no answer.
    let periods = periods.isEmpty ? addresses.map { _ in .timeless } : periods
    guard let first = periods.first else { return block }
    if periods.allSatisfy({ $0 == first }) {
      block = databases(of: first).lookUp(addresses)
      for index in block.records.indices { block.records[index].place.period = first }
      return block
    }
    var positions: [BuildPeriod: [Int]] = [:]
    for (index, period) in periods.enumerated() { positions[period, default: []].append(index) }
    var records = [Record?](repeating: nil, count: addresses.count)
    // In the order of time, so that neighbours share what is open.
    for (period, indices) in positions.sorted(by: { ($0.key.builds ?? -1) < ($1.key.builds ?? -1) })
    {
      let bytes = block.bytes
      block.bytes = []
      let part = databases(of: period).lookUp(indices.map { addresses[$0] }, behind: bytes)
      block.bytes = part.bytes
      for (index, record) in zip(indices, part.records) {
        records[index] = record
        records[index]?.place.period = period
      }
    }
    block.records = records.compactMap(\.self)
    return block
  }

  /// The newest database of each type that was built before a period began.
  private func databases(of period: BuildPeriod) -> LocalDatabases {
    guard let builds = period.builds else {
      return LocalDatabases(absence: "no time is known of its line, nor of one before")
    }
    let numbers = newest[min(builds, newest.count - 1)]
    guard !numbers.isEmpty else {
      return LocalDatabases(absence: "no database was built by the time of its line")
    }
    return state.withLock { state in
      state.turn += 1
      for number in numbers { state.open[number]?.turn = state.turn }
      if let chosen = state.chosen[period] { return chosen }
      let databases = LocalDatabases(numbers.map { entry($0, &state) })
      close(beyond: mostOpen, &state)
      state.chosen[period] = databases
      return databases
    }
  }

  /// A database, which is opened unless it is.
  private func entry(_ number: Int, _ state: inout State) -> Entry {
    if let open = state.open[number] { return open.entry }
    let (file, damage) = (files[number], damages[number])
    let entry: Entry
    do throws(DatabaseError) {
      let database = try LocalDatabases.open(file.path, tables)
      guard database.date == file.date else {
        throw DatabaseError(path: file.path, reason: .damaged("it was replaced by another build"))
      }
      entry = Entry(path: file.path, database: database, damage: damage)
    } catch {
      let database = ClosedDatabase(date: file.date, reason: error.detail)
      entry = Entry(path: file.path, database: database, damage: damage)
    }
    state.open[number] = (entry, state.turn)
    return entry
  }

  /// Closes the databases that were not needed for the longest time; those in use stay open until
  /// their look-ups end.
  private func close(beyond limit: Int, _ state: inout State) {
    guard state.open.count > limit else { return }
    let oldest = state.open.sorted { $0.value.turn < $1.value.turn }
    for (number, open) in oldest.prefix(state.open.count - limit) {
      if open.entry.answers { state.answered.insert(number) }
      state.open[number] = nil
    }
    state.chosen = [:]
  }
}

/// A database that could not be opened when it was needed.
private struct ClosedDatabase: LocalDatabase {
  let source = Source.mmdb
  let date: Int64
  let reason: String

  func findings(
    of addresses: [Address],
    bytes: inout [UInt8],
    noting damage: DamageLog
  ) -> [Record] {
    addresses.map { damage.failure(of: $0, reason, bytes: &bytes) }
  }
}
