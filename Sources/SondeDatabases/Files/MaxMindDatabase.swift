import CSondeMaxMindDB
import Glibc
import SondeAddresses
import SondeRecords
import SondeSystem

/// A database in MaxMind's format, of any of the layouts in ``MaxMindLayout``.
///
/// libmaxminddb opens the file and finds the entry of an address; ``MaxMindReader`` reads it. The
/// file stays mapped, so it must be replaced by renaming, as `geoipupdate` does, never in place.
@safe final class MaxMindDatabase: CompilableDatabase {
  let source = Source.mmdb
  let date: Int64

  private nonisolated(unsafe) let mmdb: UnsafePointer<sonde_mmdb>
  // Not written after init; look-ups may overlap: libmaxminddb(3), "THREAD SAFETY".
  private nonisolated(unsafe) let handle: UnsafeMutablePointer<MMDB_s>

  /// The name of the file, without its folder.
  private let name: String

  /// The type that the file claims, as `GeoLite2-City`.
  let type: String

  /// In MaxMind's Anonymous IP databases a missing flag means false, and "anonymous" includes mere
  /// hosting.
  private let isAnonymousType: Bool

  /// Opens a database with its metadata at an offset; fails as ``DatabaseError/Reason/damaged(_:)``
  /// if the file cannot be trusted.
  init(_ file: borrowing DatabaseFile, metadata: Int) throws(DatabaseError) {
    try MaxMindMetadata.check(file, from: metadata)
    let path = file.path
    let loaded = unsafe Self.loaded.mapError { DatabaseError(path: path, reason: .unsupported($0)) }
    let mmdb = unsafe try loaded.get()
    let handle = UnsafeMutablePointer<MMDB_s>.allocate(capacity: 1)
    let code = unsafe mmdb.pointee.MMDB_open(file.path, UInt32(MMDB_MODE_MMAP), handle)
    guard code == MMDB_SUCCESS else {
      unsafe handle.deallocate()
      let words = unsafe Self.text(ofCode: code, by: mmdb)
      throw DatabaseError(path: file.path, reason: .damaged(words))
    }
    unsafe (self.mmdb, self.handle) = (mmdb, handle)
    name = file.path.split(separator: "/").last.map(String.init) ?? file.path
    date = unsafe Int64(buildDate: handle.pointee.metadata.build_epoch)
    type = unsafe Self.text(handle.pointee.metadata.database_type)
    isAnonymousType = type.contains("Anonymous")
  }

  /// libmaxminddb's functions, loaded with the first MMDB file.
  // Never written after loading; libmaxminddb(3), "THREAD SAFETY".
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_mmdb> in
    let library = DynamicLibrary("libmaxminddb.so.0", package: "libmaxminddb0")
    return unsafe try library.load(sonde_mmdb_names(), as: sonde_mmdb.self)
  }

  deinit {
    unsafe mmdb.pointee.MMDB_close(handle)
    unsafe handle.deallocate()
  }

  func findings(
    of addresses: [Address],
    bytes: inout [UInt8],
    noting damage: DamageLog
  ) -> [Record] {
    let data = unsafe section.span
    // Addresses in one location share an entry, which is read only once.
    var read: [Int: Int] = [:]
    var records: [Record] = []
    records.reserveCapacity(addresses.count)
    for address in addresses {
      var record = Record(address: address, status: .unknown)
      switch locate(address) {
      case .nothing: break
      case .damaged(let reason): record = damage.failure(of: address, reason, bytes: &bytes)
      case .entry(let offset, let length):
        if let index = read[offset], records[index].status != .failed {
          record = records[index]
          record.address = address
        } else {
          read[offset] = records.count
          do throws(MaxMindReader.Damage) {
            try fill(&record, from: offset, of: data, bytes: &bytes)
          } catch {
            record = damage.failure(of: address, error.reason, bytes: &bytes)
          }
        }
        if record.status == .ok { record[.network] = network(of: address, length, &bytes) }
      }
      records.append(record)
    }
    return records
  }

  private var section: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(
      start: handle.pointee.data_section,
      count: Int(handle.pointee.data_section_size)
    )
  }

  /// Passes the data section on, which is mapped as long as the database is open.
  func withData<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(section.span)
  }

  private func fill(
    _ record: inout Record,
    from offset: Int,
    of data: Span<UInt8>,
    bytes: inout [UInt8]
  ) throws(MaxMindReader.Damage) {
    let values = try MaxMindValues(at: offset, in: data, layout: .records)
    let entry = MaxMindEntry(values: values, isAnonymousType: isAnonymousType)
    try entry.fill(&record, from: data, bytes: &bytes)
    guard record.knowsSomething else {
      record[.message] = try explanation(of: offset, in: data, &bytes)
      return
    }
    record.status = .ok
    record.source = .mmdb
    record.fetchedAt = date
  }

  /// Names what a record without any field has; none for an empty record.
  private func explanation(
    of offset: Int,
    in data: Span<UInt8>,
    _ bytes: inout [UInt8]
  ) throws(MaxMindReader.Damage) -> TextRange {
    var paths = MaxMindPaths()
    try paths.add(recordAt: offset, in: data)
    let names = paths.all.prefix(3).map(\.path)
    guard !names.isEmpty else { return .none }
    let text =
      "\(name) has \(names.joined(separator: ", ")) about it, but no field: "
      + "add --with NAME=\(name)"
    return bytes.append(repairing: Array(text.utf8).span)
  }

  /// An IPv4 address in a block wider than all of IPv4 gets that of the tree, `::/64`.
  func network(of address: Address, _ length: Int, _ bytes: inout [UInt8]) -> TextRange {
    guard let number = address.ipv4, isTree128 else {
      return bytes.append(networkOf: address, length: length)
    }
    guard length < 96 else { return bytes.append(networkOf: address, length: length - 96) }
    return bytes.append(networkOf: Address(high: 0, low: UInt64(number)), length: length)
  }

  /// Whether the search tree has IPv6 addresses, with IPv4 ones at `::/96`.
  var isTree128: Bool { unsafe handle.pointee.metadata.ip_version == 6 }
}

// MARK: - The search tree

extension MaxMindDatabase {
  enum Location {
    case nothing
    /// The offset of the entry in the data, and the number of address bits that lead to it.
    case entry(offset: Int, length: Int)
    case damaged(String)
  }

  func locate(_ address: Address) -> Location {
    var code = MMDB_SUCCESS
    let result = unsafe address.isIPv4 ? search(ipv4: address, &code) : search(ipv6: address, &code)
    switch code {
    case MMDB_SUCCESS where unsafe result.found_entry:
      return unsafe .entry(offset: Int(result.entry.offset), length: Int(result.netmask))
    case MMDB_SUCCESS, MMDB_IPV6_LOOKUP_IN_IPV4_DATABASE_ERROR: return .nothing
    default: return unsafe .damaged(Self.text(ofCode: code, by: mmdb))
    }
  }

  var nodeCount: UInt32 { unsafe handle.pointee.metadata.node_count }

  /// The targets of both branches of a node.
  func children(
    of number: UInt32
  ) throws(CompiledDatabaseError) -> (zero: MaxMindBranch, one: MaxMindBranch) {
    var node = unsafe MMDB_search_node_s()
    guard unsafe mmdb.pointee.MMDB_read_node(handle, number, &node) == MMDB_SUCCESS else {
      throw .damaged
    }
    return unsafe (
      try Self.branch(node.left_record_type, node.left_record, node.left_record_entry),
      try Self.branch(node.right_record_type, node.right_record, node.right_record_entry)
    )
  }

  private static func branch(
    _ type: UInt8,
    _ number: UInt64,
    _ entry: MMDB_entry_s
  ) throws(CompiledDatabaseError) -> MaxMindBranch {
    switch Int32(type) {
    case MMDB_RECORD_TYPE_SEARCH_NODE: .node(UInt32(truncatingIfNeeded: number))
    case MMDB_RECORD_TYPE_EMPTY: .nothing
    case MMDB_RECORD_TYPE_DATA: unsafe .entry(entry.offset)
    default: throw .damaged
    }
  }

  private func search(ipv4 address: Address, _ code: inout Int32) -> MMDB_lookup_result_s {
    var socket = sockaddr_in()
    socket.sin_family = sa_family_t(AF_INET)
    socket.sin_addr.s_addr = UInt32(truncatingIfNeeded: address.low).bigEndian
    return unsafe withUnsafePointer(to: &socket) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe mmdb.pointee.MMDB_lookup_sockaddr(handle, $0, &code)
      }
    }
  }

  private func search(ipv6 address: Address, _ code: inout Int32) -> MMDB_lookup_result_s {
    var socket = sockaddr_in6()
    socket.sin6_family = sa_family_t(AF_INET6)
    unsafe withUnsafeMutableBytes(of: &socket.sin6_addr) { raw in
      unsafe raw.storeBytes(of: address.high.bigEndian, as: UInt64.self)
      unsafe raw.storeBytes(of: address.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return unsafe withUnsafeBytes(of: &socket) { raw in
      guard let start = raw.baseAddress else { return unsafe MMDB_lookup_result_s() }
      return unsafe mmdb.pointee.MMDB_lookup_sockaddr(
        handle,
        start.assumingMemoryBound(to: sockaddr.self),
        &code
      )
    }
  }

  private static func text(ofCode code: Int32, by mmdb: UnsafePointer<sonde_mmdb>) -> String {
    unsafe text(mmdb.pointee.MMDB_strerror(code))
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
  }
}
