import CSondeLoc
import Glibc
import SondeAddresses
import SondeRecords
import SondeSystem

/// libloc's context and database, with a cache of names.
///
/// Requesting a name from libloc takes longer than the look-up itself, so names are cached: at most
/// one per AS and country of the database.
@safe struct LibLocHandle: ~Copyable {
  /// An address with padding, since libloc 0.9 reads one bit beyond the end at a leaf of 128 bits.
  private struct PaddedAddress {
    var high: UInt64
    var low: UInt64
    var padding: (UInt64, UInt64) = (0, 0)
  }

  private let loc: UnsafePointer<sonde_loc>
  private let context: OpaquePointer
  private let database: OpaquePointer
  private var countries = [LibLocCountry?](repeating: nil, count: LibLocCountry.codes)
  private var names: [UInt32: TextRange] = [:]
  private var nameBytes: [UInt8] = []

  let date: Int64
  var paths: LibLocPaths

  /// Opens a database that was checked except for its network tree.
  init(_ file: borrowing DatabaseFile, paths: consuming LibLocPaths) throws(DatabaseError) {
    let path = file.path
    let loaded = unsafe Self.loaded.mapError { DatabaseError(path: path, reason: .unsupported($0)) }
    let loc = unsafe try loaded.get()
    var context: OpaquePointer?
    guard unsafe loc.pointee.loc_new(&context) == 0, let context = unsafe context else {
      throw DatabaseError(path: file.path, reason: .unreadable(errno: ENOMEM))
    }
    // It would report every error on stderr; there is no level below 0.
    unsafe loc.pointee.loc_set_log_priority(context, -1)
    guard let database = unsafe Self.open(file, in: context, by: loc) else {
      _ = unsafe loc.pointee.loc_unref(context)
      throw DatabaseError(path: file.path, reason: .damaged("libloc cannot open it"))
    }
    self.paths = paths
    unsafe (self.loc, self.context, self.database) = (loc, context, database)
    date = unsafe Int64(buildDate: UInt64(max(0, loc.pointee.loc_database_created_at(database))))
  }

  deinit {
    _ = unsafe loc.pointee.loc_database_unref(database)
    _ = unsafe loc.pointee.loc_unref(context)
  }

  /// libloc's functions, loaded with the first database in its format.
  // Never written after loading; `LibLocDatabase` documents how they may be called.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_loc> in
    let library = DynamicLibrary("libloc.so.1", package: "libloc1")
    return unsafe try library.load(sonde_loc_names(), as: sonde_loc.self)
  }

  /// libloc duplicates the descriptor, so the stream may be closed at once.
  private static func open(
    _ file: borrowing DatabaseFile,
    in context: OpaquePointer,
    by loc: UnsafePointer<sonde_loc>
  ) -> OpaquePointer? {
    let copy = dup(file.descriptor)
    guard copy >= 0, let stream = unsafe fdopen(copy, "r") else {
      if copy >= 0 { close(copy) }
      return nil
    }
    defer { unsafe fclose(stream) }
    var database: OpaquePointer?
    guard unsafe loc.pointee.loc_database_new(context, &database, stream) == 0 else { return nil }
    return unsafe database
  }

  /// Adds the information about an address; `false` if the entry is damaged.
  mutating func fill(
    _ record: inout Record,
    for address: Address,
    bytes: inout [UInt8],
    shared: inout CountryOffsets
  ) -> Bool {
    guard paths.lead(to: address) else { return false }
    var network: OpaquePointer?
    let code = unsafe lookUp(address, &network)
    // Even a network whose creation failed is returned.
    defer { if let network = unsafe network { unsafe _ = loc.pointee.loc_network_unref(network) } }
    // 1 is "not in the database": the tree is valid, and libloc also sets an error number for an
    // IPv4 address in a network wider than all of IPv4. A network with impossible values, such as a
    // country that is not a code, gives a negative number.
    guard code == 0 else { return code == 1 }
    if let network = unsafe network {
      let network = unsafe self.network(network)
      fill(&record, with: network, of: address, bytes: &bytes, shared: &shared)
      return true
    }
    // In Debian 13's version, 0 without a network is "not found", but also the answer where a wider
    // network has the address.
    guard let network = paths.network(of: address) else { return true }
    guard network.country.0 == 0 || LibLocCountry.isCode(network.country) else { return false }
    fill(&record, with: network, of: address, bytes: &bytes, shared: &shared)
    return true
  }

  /// What libloc has found.
  private func network(_ network: OpaquePointer) -> LibLocPaths.Network {
    let code = unsafe loc.pointee.loc_network_get_country_code(network)
    let isProxy =
      unsafe loc.pointee.loc_network_has_flag(network, LOC_NETWORK_FLAG_ANONYMOUS_PROXY.rawValue)
    return unsafe LibLocPaths.Network(
      country: code.map { unsafe (UInt8(bitPattern: $0[0]), UInt8(bitPattern: $0[1])) } ?? (0, 0),
      asn: loc.pointee.loc_network_get_asn(network),
      flags: isProxy != 0 ? LOC_NETWORK_FLAG_ANONYMOUS_PROXY.rawValue : 0,
      length: Int(loc.pointee.loc_network_prefix(network))
    )
  }

  private mutating func fill(
    _ record: inout Record,
    with network: LibLocPaths.Network,
    of address: Address,
    bytes: inout [UInt8],
    shared: inout CountryOffsets
  ) {
    if let index = LibLocCountry.index(network.country) {
      fillCountry(index, network.country, &record, bytes: &bytes, shared: &shared)
    }
    record.asn = network.asn
    if record.asn != 0 { record[.asName] = copyName(ofAS: record.asn, to: &bytes) }
    if network.flags & LOC_NETWORK_FLAG_ANONYMOUS_PROXY.rawValue != 0 { record.isProxy = true }
    guard record.knowsSomething else { return }
    record[.network] = bytes.append(networkOf: address, length: network.length)
  }

  private func lookUp(_ address: Address, _ network: inout OpaquePointer?) -> Int32 {
    var padded = PaddedAddress(high: address.high.bigEndian, low: address.low.bigEndian)
    return unsafe withUnsafeBytes(of: &padded) { raw in
      guard let start = raw.baseAddress else { return -1 }
      return unsafe loc.pointee.loc_database_lookup(
        database,
        start.assumingMemoryBound(to: in6_addr.self),
        &network
      )
    }
  }

  private mutating func fillCountry(
    _ index: Int,
    _ code: (UInt8, UInt8),
    _ record: inout Record,
    bytes: inout [UInt8],
    shared: inout CountryOffsets
  ) {
    let country =
      unsafe countries[index] ?? describe([code.0, code.1, 0].map(CChar.init(bitPattern:)))
    countries[index] = country
    let start = shared[index] ?? UInt32(bytes.count)
    if shared[index] == nil { bytes.append(contentsOf: country.bytes) }
    shared[index] = start
    record[.countryCode] = TextRange(offset: start, count: 2)
    record[.continentCode] = country.continent.moved(by: start)
    record[.country] = country.name.moved(by: start)
  }

  private func describe(_ code: UnsafePointer<CChar>) -> LibLocCountry {
    var texts = unsafe LibLocCountry(bytes: [
      UInt8(bitPattern: code[0]), UInt8(bitPattern: code[1]),
    ])
    var country: OpaquePointer?
    // 0 without a country is "not in the database"; after an error the pointer may be a stale one.
    guard unsafe loc.pointee.loc_database_get_country(database, &country, code) == 0,
      let country = unsafe country
    else { return texts }
    defer { unsafe _ = loc.pointee.loc_country_unref(country) }
    let continent = unsafe loc.pointee.loc_country_get_continent_code(country)
    texts.continent = unsafe texts.bytes.append(cText: continent)
    let own = CountryNames.bytes(of: texts.bytes[0], texts.bytes[1])
    texts.name =
      own.isEmpty
      ? unsafe texts.bytes.append(cText: loc.pointee.loc_country_get_name(country))
      : texts.bytes.append(repairing: own.span)
    return texts
  }

  private mutating func copyName(ofAS number: UInt32, to bytes: inout [UInt8]) -> TextRange {
    let range = names[number] ?? askName(ofAS: number)
    return range.isEmpty ? .none : bytes.append(range, of: nameBytes)
  }

  private mutating func askName(ofAS number: UInt32) -> TextRange {
    var system: OpaquePointer?
    var name = TextRange.none
    if unsafe loc.pointee.loc_database_get_as(database, &system, number) == 0,
      let system = unsafe system
    {
      name = unsafe nameBytes.append(cText: loc.pointee.loc_as_get_name(system))
      _ = unsafe loc.pointee.loc_as_unref(system)
    }
    names[number] = name
    return name
  }
}

/// The position of each country's texts in the bytes of one call, so that they are written once.
struct CountryOffsets {
  /// The offset for each of the 26 × 26 codes; the highest number if it is not written yet.
  private var offsets = [UInt32](repeating: .max, count: LibLocCountry.codes)

  subscript(index: Int) -> UInt32? {
    get { offsets[index] == .max ? nil : offsets[index] }
    set { offsets[index] = newValue ?? .max }
  }
}

/// The texts of a country in sequence: its code, its continent's code, its name.
private struct LibLocCountry {
  /// The number of codes, from `AA` to `ZZ`.
  static let codes = 26 * 26

  var bytes: [UInt8]
  var continent = TextRange.none
  var name = TextRange.none

  /// The index of a code; `nil` unless it is two capital letters.
  static func index(_ code: (UInt8, UInt8)) -> Int? {
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    guard letters.contains(code.0), letters.contains(code.1) else { return nil }
    return Int(code.0 - letters.lowerBound) * 26 + Int(code.1 - letters.lowerBound)
  }

  /// Whether libloc takes it for a code: those that begin with X are for private use (ISO 3166-1).
  static func isCode(_ code: (UInt8, UInt8)) -> Bool {
    index(code) != nil && code.0 != UInt8(ascii: "X")
  }
}

extension TextRange {
  /// The range in bytes that were appended at `offset`.
  fileprivate func moved(by offset: UInt32) -> TextRange {
    isEmpty ? .none : TextRange(offset: self.offset + offset, count: count)
  }
}

extension [UInt8] {
  /// Appends a text that ends with NUL; one longer than any name is cut.
  fileprivate mutating func append(cText: UnsafePointer<CChar>?) -> TextRange {
    guard let cText = unsafe cText else { return .none }
    let count = unsafe strnlen(cText, Record.longestText + 4)
    guard count > 0 else { return .none }
    return unsafe cText.withMemoryRebound(to: UInt8.self, capacity: count) { start in
      unsafe append(repairing: UnsafeBufferPointer(start: start, count: count).span)
    }
  }
}
