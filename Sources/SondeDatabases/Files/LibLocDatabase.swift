import SondeAddresses
import SondeRecords
import Synchronization

/// A database in libloc's own format.
///
/// libloc's reference counts are not atomic, and every look-up changes them, so even reads must not
/// overlap: a lock protects the handle, and is taken once per list of addresses. libloc maps the
/// file, so it must be replaced by renaming, like `location update` does, never in place.
final class LibLocDatabase: CompilableDatabase {
  let source = Source.libloc
  let date: Int64
  private let handle: Mutex<LibLocHandle>

  /// Opens a database; fails as ``DatabaseError/Reason/damaged(_:)`` if the file is invalid.
  init(_ file: borrowing DatabaseFile) throws(DatabaseError) {
    let tree = try LibLocLayout.check(file)
    let handle = try LibLocHandle(file, paths: LibLocPaths(in: tree, of: file))
    date = handle.date
    self.handle = Mutex(handle)
  }

  /// Checks the whole network tree, as otherwise happens once more than a few addresses are looked
  /// up; fails as ``DatabaseError/Reason/damaged(_:)`` if it is invalid.
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
