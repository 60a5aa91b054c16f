import SondeAddresses
import SondeRecords
import Synchronization

/// A database in libloc's own format.
///
/// libloc's reference counts are plain integers which every look-up changes, so not even reads may
/// overlap: one handle behind a lock, taken once for a whole list of addresses.
/// libloc maps the file: replace it by renaming, as `location update` does, never in place.
final class LibLocDatabase: CompilableDatabase {
  let source = Source.libloc
  let date: Int64
  private let handle: Mutex<LibLocHandle>

  /// Opens a database.
  ///
  /// - Throws: ``DatabaseError/Reason/damaged(_:)`` where the file cannot be trusted.
  init(_ file: borrowing DatabaseFile) throws(DatabaseError) {
    let tree = try LibLocLayout.check(file)
    let handle = try LibLocHandle(file, paths: LibLocPaths(in: tree, of: file))
    date = handle.date
    self.handle = Mutex(handle)
  }

  /// Makes sure of the whole network tree, which else is done when more than a few addresses are
  /// asked for.
  ///
  /// - Throws: ``DatabaseError/Reason/damaged(_:)`` where it is broken.
  func checkTree() throws(DatabaseError) {
    try handle.withLock { handle throws(DatabaseError) in try handle.paths.checkWhole() }
  }

  func findings(
    of addresses: [Address],
    bytes: inout [UInt8],
    noting damage: DamageLog
  ) -> [Record] {
    handle.withLock { handle in
      var shared = CountryOffsets()
      var records: [Record] = []
      records.reserveCapacity(addresses.count)
      for address in addresses {
        var record = Record(address: address, status: .unknown)
        if !handle.fill(&record, for: address, bytes: &bytes, shared: &shared) {
          record = damage.failure(of: address, "its network cannot be read", bytes: &bytes)
        } else if record.knowsSomething {
          record.status = .ok
          record.source = .libloc
          record.fetchedAt = date
        }
        records.append(record)
      }
      return records
    }
  }
}
