import Glibc
import SondeAddresses
import SondeRecords
import Synchronization

/// A database that is compiled if many addresses are looked up.
///
/// With a compiled file, the database's own library is not used.
final class TabledDatabase: LocalDatabase {
  private struct State {
    var library: (any CompilableDatabase)?
    var table: CompiledDatabase?
    /// The number of addresses looked up with the library.
    var asked = 0
    /// The number from which compiling is worthwhile.
    var limit: Int
    var isBuilding = false
    /// Whether another attempt is useless.
    var hasFailed = false
  }

  let source: Source
  let date: Int64
  private let file: DatabaseFile
  private let identity: DatabaseIdentity
  private let tables: CompiledDatabases
  private let state: Mutex<State>

  /// Opens the compiled file of a database or, without one, the database; fails if that is invalid.
  init(path: String, tables: CompiledDatabases) throws(DatabaseError) {
    file = try DatabaseFile(path: path)
    identity = try DatabaseIdentity(file)
    self.tables = tables
    var state = State(limit: tables.threshold)
    state.table = tables.folder?.table(of: identity)
    if let header = state.table?.header {
      (source, date) = (header.source, header.date)
    } else {
      let library = try Self.open(file)
      state.library = library
      (source, date) = (library.source, library.date)
    }
    self.state = Mutex(state)
  }

  /// Opens a database with the library of its format.
  static func open(_ file: borrowing DatabaseFile) throws(DatabaseError) -> any CompilableDatabase {
    switch try file.format() {
    case .libloc: try LibLocDatabase(file)
    case .maxMind(let metadata): try MaxMindDatabase(file, metadata: metadata)
    }
  }

  func findings(
    of addresses: [Address],
    bytes: inout [UInt8],
    noting damage: DamageLog
  ) -> [Record] {
    let count = bytes.count
    if let table = table(for: addresses.count) {
      do throws(CompiledDatabase.Damage) {
        return try table.findings(of: addresses, bytes: &bytes)
      } catch {
        bytes.removeSubrange(count...)
        giveUp(table)
      }
    }
    guard let library else {
      return addresses.map {
        damage.failure(of: $0, "its table is damaged and it is gone", bytes: &bytes)
      }
    }
    return library.findings(of: addresses, bytes: &bytes, noting: damage)
  }

  func answerNumbers(of addresses: [Address]) -> AnswerNumbers? {
    try? state.withLock { $0.table }?.answerNumbers(of: addresses)
  }

  var hasTable: Bool { state.withLock { $0.table != nil } }

  /// The library, opened on demand.
  private var library: (any CompilableDatabase)? {
    if let library = state.withLock({ $0.library }) { return library }
    guard let library = try? Self.open(file) else { return nil }
    return state.withLock { state in
      state.library = state.library ?? library
      return state.library
    }
  }
}

// MARK: - The table

extension TabledDatabase {
  /// The compiled file for a number of further addresses; created if due, by one caller, while
  /// others use the library.
  private func table(for count: Int) -> CompiledDatabase? {
    let (table, isTime) = state.withLock { state in
      guard state.table == nil else { return (state.table, false) }
      state.asked += count
      let isTime = state.asked > state.limit && !state.isBuilding && !state.hasFailed
      if isTime { state.isBuilding = true }
      return (nil, isTime)
    }
    guard isTime else { return table }
    let built = build()
    return state.withLock { state in
      state.isBuilding = false
      state.table = built
      if built != nil { state.library = nil }
      // Another process is compiling it; checked again after as many addresses.
      state.limit = state.asked + tables.threshold
      return built
    }
  }

  private func build() -> CompiledDatabase? {
    guard let library else { return nil }
    do throws(CompiledDatabaseError) {
      return try build(library)
    } catch {
      if error != .cancelled { state.withLock { $0.hasFailed = true } }
      return nil
    }
  }

  /// Compiles the database, in memory if the folder is not writable; `nil` while another process
  /// compiles it.
  private func build(
    _ library: any CompilableDatabase
  ) throws(CompiledDatabaseError) -> CompiledDatabase? {
    do throws(CompiledDatabaseError) {
      guard let folder = tables.folder else { throw .unwritable(errno: ENOENT) }
      return try folder.build(library, of: file, identity: identity)
    } catch {
      guard case .unwritable = error else { throw error }
      return try CompiledFolder.buildInMemory(library, of: file, identity: identity)
    }
  }

  /// The compiled file, which is made if there is none, and which all later look-ups use.
  ///
  /// - Throws: ``DatabaseError`` if the database cannot be compiled.
  func compiled() throws(DatabaseError) -> CompiledDatabase {
    if let table = state.withLock({ $0.table }) { return table }
    do throws(CompiledDatabaseError) {
      guard let library else { throw .damaged }
      var built = try build(library)
      if built == nil {
        built = try CompiledFolder.buildInMemory(library, of: file, identity: identity)
      }
      guard let built else { throw .damaged }
      state.withLock { $0.table = built }
      return built
    } catch {
      throw DatabaseError(path: file.path, reason: .unlisted("\(error)"))
    }
  }

  /// Returns to the library; a new file may be compiled once.
  private func giveUp(_ table: CompiledDatabase) {
    let isFirst = state.withLock { state in
      defer { if state.table === table { state.table = nil } }
      return state.table === table
    }
    if isFirst { tables.folder?.remove(table) }
  }
}
