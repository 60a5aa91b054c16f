import Glibc
public import SondeAddresses
public import SondeRecords
import SondeSystem
import Synchronization

/// The `local` provider: databases on this machine, which need no network.
///
/// Reads libloc's own format and MMDB files of MaxMind's, DB-IP's and IPinfo's layouts, recognised
/// by their content. Answers of all databases are combined: fields that belong together (country,
/// place, AS) are taken from the first database that has them, the place only from one that names
/// the same country. Where they name different countries, the message of the record says so.
public final class LocalDatabases: Sendable {
  /// A database and its age.
  public struct Build: Equatable, Sendable {
    /// The file.
    public let path: String

    /// Its kind, `libloc` or `mmdb`.
    public let source: Source

    /// When it was built, in seconds since 1970 UTC.
    public let date: Int64

    /// The day on which it was built, in UTC: `2026-11-28`.
    public var day: String { ClockFace(date, in: .utc).date }

    /// The name of the file, without its folder.
    public var name: String { String(path.split(separator: "/").last ?? path[...]) }

    /// Whether it has contributed to an answer yet.
    public let hasAnswered: Bool
  }

  final class Entry: Sendable {
    let path: String
    let database: any LocalDatabase
    let damage: DamageLog
    let hasAnswered = Atomic(false)
    private let nameBytes: [UInt8]
    private let day: [UInt8]

    init(path: String, database: any LocalDatabase, damage: DamageLog? = nil) {
      (self.path, self.database) = (path, database)
      self.damage = damage ?? DamageLog(path: path)
      nameBytes = Array((path.split(separator: "/").last ?? path[...]).utf8)
      day = Array(ClockFace(database.date, in: .utc).date.utf8)
    }

    func findings(of addresses: [Address], bytes: inout [UInt8]) -> [Record] {
      var records = database.findings(of: addresses, bytes: &bytes, noting: damage)
      let (name, day) = (nameBytes, day)
      let ranges = (bytes.append(repairing: name.span), bytes.append(repairing: day.span))
      for index in records.indices { records[index].name(ranges.0, builtOn: ranges.1) }
      return records
    }

    /// The name of the file, without its folder.
    var name: String { String(decoding: nameBytes, as: UTF8.self) }

    func noteAnswer() { hasAnswered.store(true, ordering: .relaxed) }

    var answers: Bool { hasAnswered.load(ordering: .relaxed) }
  }

  /// Where `location update` and packages install libloc's database, the newest first.
  private static let usualPaths = [
    "/var/lib/location/database.db",
    // Debian's libloc-database.
    "/usr/share/libloc-location/location.db",
  ]

  private let entries: [Entry]
  /// Why there is none.
  private let absence: String?
  /// The databases of several days, of which the time of a question chooses; `nil` for none.
  private let archive: DatabaseArchive?

  /// Opens databases in order of preference; fails at the first file that is not a valid database.
  ///
  /// This takes milliseconds. libloc's file is checked completely once more than a few addresses
  /// are looked up, unless it is compiled. Without `tables`, no database is compiled.
  public init(paths: [String], tables: CompiledDatabases? = nil) throws(DatabaseError) {
    var entries: [Entry] = []
    for path in paths {
      entries.append(Entry(path: path, database: try Self.open(path, tables)))
    }
    (self.entries, absence, archive) = (entries, nil, nil)
  }

  init(_ entries: [Entry]) { (self.entries, absence, archive) = (entries, nil, nil) }

  /// Creates a list without any database, in which every address is unknown for a reason.
  public init(absence: String) { (entries, self.absence, archive) = ([], absence, nil) }

  /// Creates the databases of an archive, which the time of each question chooses.
  public init(_ archive: DatabaseArchive) { (entries, absence, self.archive) = ([], nil, archive) }

  /// Each database alone, in order; what they answer counts in ``builds`` and ``warnings`` here, too.
  public var each: [LocalDatabases] { entries.map { LocalDatabases([$0]) } }

  /// The default databases, the best first; empty if libloc's is not installed.
  public static var defaultPaths: [String] { usualPaths.filter { unsafe access($0, R_OK) == 0 } }

  /// Opens those of some databases that are sound, up to the first of libloc's; with the errors of
  /// others.
  public static func installed(
    _ paths: [String],
    tables: CompiledDatabases
  ) -> (databases: LocalDatabases?, errors: [DatabaseError]) {
    var (parts, errors): ([LocalDatabases], [DatabaseError]) = ([], [])
    for path in paths
    // One of those that the system has is enough.
    where parts.last?.builds.first?.source != .libloc {
      do throws(DatabaseError) {
        parts.append(try LocalDatabases(paths: [path], tables: tables))
      } catch {
        errors.append(error)
      }
    }
    return (parts.isEmpty ? nil : LocalDatabases(parts.flatMap(\.entries)), errors)
  }

  /// Looks up addresses; may be called concurrently.
  ///
  /// This takes about a microsecond per address and database, and libloc's look-ups do not overlap;
  /// with compiled databases it takes a tenth of that, and all calls overlap.
  /// - Returns: One record per address, in order: `ok`; `unknown` if no database has information;
  ///   `failed` if none answers and one is damaged there. The caller handles special-purpose
  ///   addresses.
  public func lookUp(_ addresses: [Address]) -> RecordBlock { lookUp(addresses, behind: []) }

  /// The same at the times of the questions; their periods are those of the records' places.
  ///
  /// Without periods, or unless an archive was given, times do not matter.
  public func lookUp(_ addresses: [Address], in periods: [BuildPeriod]) -> RecordBlock {
    guard let archive else { return lookUp(addresses) }
    return archive.lookUp(addresses, in: periods)
  }

  /// The records of addresses, whose texts are appended to some bytes.
  func lookUp(_ addresses: [Address], behind bytes: consuming [UInt8]) -> RecordBlock {
    var block = RecordBlock()
    block.bytes = bytes
    if entries.count == 1, let entry = entries.first {
      block.records = entry.findings(of: addresses, bytes: &block.bytes)
      if block.records.contains(where: { $0.status == .ok }) { entry.noteAnswer() }
      return block
    }
    block.records = addresses.map { Record(address: $0, status: .unknown) }
    var opinions = CountryOpinions(count: addresses.count)
    for (number, entry) in entries.enumerated() {
      let findings = entry.findings(of: addresses, bytes: &block.bytes)
      let bytes = block.bytes
      var hasAnswered = false
      for index in findings.indices {
        let isAdded = block.records[index].complete(from: findings[index], in: bytes.span)
        hasAnswered = isAdded || hasAnswered
        opinions.add(findings[index], of: number, on: block.records[index], at: index, bytes.span)
      }
      if hasAnswered { entry.noteAnswer() }
    }
    opinions.explain(&block, names: entries.map(\.name))
    if let absence { block.explainUnknown(absence) }
    return block
  }

  /// The numbers of the addresses' answers; `nil` unless there is only one database and it is
  /// compiled.
  ///
  /// Records of addresses with equal numbers differ only in the address and its network.
  public func answerNumbers(of addresses: [Address]) -> AnswerNumbers? {
    entries.count == 1 ? entries[0].database.answerNumbers(of: addresses) : nil
  }

  /// The division of addresses by the networks of the databases, all of which are compiled for it.
  ///
  /// - Throws: ``DatabaseError`` if one cannot be compiled, as when it is damaged.
  public func division() throws(DatabaseError) -> NetworkDivision {
    var compiled: [CompiledDatabase] = []
    for entry in entries {
      if let database = entry.database as? TabledDatabase {
        compiled.append(try database.compiled())
      } else {
        let tables = CompiledDatabases(folder: nil)
        compiled.append(try TabledDatabase(path: entry.path, tables: tables).compiled())
      }
    }
    return NetworkDivision(tables: compiled)
  }

  /// The times that answers depend on; `nil` if they depend on none.
  public var periods: BuildPeriods? { archive?.periods }

  /// What makes the answers of two runs with the same files differ: why there is none, or that the
  /// time of the question chooses; `nil` otherwise.
  public var choice: String? { archive == nil ? absence : "line" }

  /// The databases in order of preference.
  public var builds: [Build] {
    archive?.builds
      ?? entries.map { entry in
        Build(
          path: entry.path,
          source: entry.database.source,
          date: entry.database.date,
          hasAnswered: entry.answers
        )
      }
  }

  /// Those of the databases that have contributed to an answer.
  public var answered: [Build] { builds.filter(\.hasAnswered) }

  /// One warning for each database with damage found by a look-up.
  public var warnings: [String] { archive?.warnings ?? entries.compactMap(\.damage.warning) }

  static func open(
    _ path: String,
    _ tables: CompiledDatabases?
  ) throws(DatabaseError) -> any LocalDatabase {
    if let tables { return try TabledDatabase(path: path, tables: tables) }
    return try TabledDatabase.open(DatabaseFile(path: path))
  }
}

extension Source {
  /// A database in libloc's format.
  public static let libloc = Source(3)
  /// A database in the MaxMind DB format.
  public static let mmdb = Source(4)
}
