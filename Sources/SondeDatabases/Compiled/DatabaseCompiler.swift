import SondeAddresses
import SondeRecords
import SondeSystem

/// The reason why a database is not compiled; it can be used nevertheless.
enum CompiledDatabaseError: Error, Equatable {
  /// The database has damaged entries, about which look-ups would warn.
  case damaged
  /// It is too large, or its search tree has too many shared nodes.
  case tooLarge
  /// The run was ended meanwhile.
  case cancelled
  /// The file could not be written, by the number of errno(3).
  case unwritable(errno: Int32)
}

extension CompiledDatabaseError: CustomStringConvertible {
  /// The reason in plain words.
  var description: String {
    switch self {
    case .damaged: "it has damaged entries"
    case .tooLarge: "it is too large"
    case .cancelled: "the run was ended"
    case .unwritable(let code): "no memory for them: \(SystemError(code))"
    }
  }
}

/// Compiles a database.
///
/// The search tree shows which addresses have the same answer, and each answer is looked up once in
/// the database. The ranges, about nine bytes per IPv4 network and 21 per IPv6 network, and the
/// positions of answers are in memory; the answers are written to the file.
struct DatabaseCompiler: ~Copyable {
  private let database: any CompilableDatabase
  private let damage: DamageLog
  private var writer: CompiledWriter
  private var offsets: [UInt64: CompiledDatabase.Finding] = [:]
  private var ipv4 = TableRanges(isIPv6: false)
  private var ipv6 = TableRanges(isIPv6: true)
  private var steps = 0

  /// Compiles a database into an empty file, which is useless after an error.
  static func compile(
    _ database: any CompilableDatabase,
    of file: borrowing DatabaseFile,
    identity: DatabaseIdentity,
    to descriptor: Int32
  ) throws(CompiledDatabaseError) {
    var compiler = DatabaseCompiler(database, DamageLog(path: file.path), descriptor)
    try database.walk(file, &compiler)
    guard compiler.damage.warning == nil else { throw .damaged }
    try compiler.finish { layout in
      CompiledHeader(
        identity: identity,
        source: database.source,
        date: database.date,
        path: file.realPath,
        layout: layout
      )
    }
  }

  private init(_ database: any CompilableDatabase, _ damage: DamageLog, _ descriptor: Int32) {
    (self.database, self.damage) = (database, damage)
    writer = CompiledWriter(descriptor: descriptor, at: CompiledLayout.headerSize)
  }

  /// Adds the next IPv4 addresses, from `first` on, which have the same answer; without one, the
  /// key is `nil`.
  mutating func addIPv4(
    _ first: UInt32,
    key: UInt64?,
    form: NetworkForm
  ) throws(CompiledDatabaseError) {
    let finding = try finding(at: Address(ipv4: first), key, form)
    ipv4.append(UInt64(first) << 32, 0, finding)
  }

  /// Adds the next IPv6 addresses; see ``addIPv4(_:key:form:)``.
  mutating func addIPv6(
    _ first: Address,
    key: UInt64?,
    form: NetworkForm
  ) throws(CompiledDatabaseError) {
    ipv6.append(first.high, first.low, try finding(at: first, key, form))
  }

  /// Adds the next IPv6 addresses, whose answers are those of their embedded IPv4 addresses.
  mutating func addIPv6(_ first: Address, embeddingAt depth: Int) throws(CompiledDatabaseError) {
    let finding = CompiledDatabase.Finding(value: TableValue(embeddingAt: depth))
    ipv6.append(first.high, first.low, finding)
  }

  private mutating func finding(
    at first: Address,
    _ key: UInt64?,
    _ form: NetworkForm
  ) throws(CompiledDatabaseError) -> CompiledDatabase.Finding {
    steps += 1
    if steps.isMultiple(of: 4096) {
      guard !Task.isCancelled else { throw .cancelled }
      guard max(ipv4.count, ipv6.count) < CompiledLayout.maximumCount - CompiledLayout.buckets
      else { throw .tooLarge }
    }
    guard let key else { return CompiledDatabase.Finding() }
    var finding: CompiledDatabase.Finding
    if let known = offsets[key] { finding = known } else { finding = try ask(first, key) }
    if finding.value != .nothing { finding.form = form }
    return finding
  }

  /// Looks up an answer and writes it.
  private mutating func ask(
    _ address: Address,
    _ key: UInt64
  ) throws(CompiledDatabaseError) -> CompiledDatabase.Finding {
    var texts: [UInt8] = []
    var finding = CompiledDatabase.Finding()
    let findings = database.findings(of: [address], bytes: &texts, noting: damage)
    if var record = findings.first,
      record.status == .ok || record.status == .unknown && !record[.message].isEmpty
    {
      record[.network] = .none
      guard writer.offset < TableValue.maximumOffset - 1 << 20,
        let bytes = CompiledAnswer.bytes(of: record, texts: texts, at: writer.offset)
      else { throw .tooLarge }
      finding.value = TableValue(offset: writer.offset)
      try writer.append(bytes)
    }
    offsets[key] = finding
    return finding
  }

  /// Writes the ranges and, after everything else is on disk, the header.
  private mutating func finish(
    _ header: (CompiledLayout) -> CompiledHeader
  ) throws(CompiledDatabaseError) {
    offsets = [:]
    ipv4.finish()
    ipv6.finish()
    let layout = CompiledLayout(answersEnd: writer.offset, ipv4: ipv4.count, ipv6: ipv6.count)
    guard let layout else { throw .tooLarge }
    try write(ipv4, layout.ipv4)
    try write(ipv6, layout.ipv6)
    try writer.align(to: layout.size)
    try writer.end(header(layout))
  }

  private mutating func write(
    _ ranges: TableRanges,
    _ place: CompiledLayout.Family
  ) throws(CompiledDatabaseError) {
    try writer.align(to: place.index)
    try writer.append(ranges.index)
    try writer.append(ranges.values)
    try writer.align(to: place.starts)
    try writer.append(ranges.starts)
    try writer.append(ranges.highs)
    try writer.append(ranges.lows)
    try writer.append(ranges.forms)
  }
}
