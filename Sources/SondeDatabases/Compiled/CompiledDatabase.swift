import Glibc
public import SondeAddresses
import SondeRecords
import SondeSystem
import Synchronization

/// A database compiled for speed: sorted ranges of addresses, each with its answer.
///
/// Each part is checked against its checksum before its first use, so that a damaged file gives no
/// wrong answers, and opening takes equally long for any size.
public final class CompiledDatabase: Sendable {
  /// The result of a look-up.
  public struct Finding: Equatable, Sendable {
    var value = TableValue.nothing
    var form = NetworkForm(byte: 0)

    /// Whether the database has no information about the address.
    public var isNothing: Bool { value == .nothing }
  }

  /// A wrong checksum, or a position outside of the file.
  public struct Damage: Error {}

  let header: CompiledHeader
  let mapping: TableMapping

  /// One bit per group of each family whose checksum was verified.
  private let verified = Mutex(InlineArray<8, UInt64>(repeating: 0))

  /// Opens a compiled file; `nil` if it is not one, or its beginning is damaged.
  public convenience init?(path: String) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    self.init(descriptor: descriptor)
  }

  init?(descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_size >= CompiledLayout.headerSize else {
      return nil
    }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: CompiledLayout.headerSize) {
      let got = unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
      $1 = max(0, got)
    }
    let size = Int(status.st_size)
    guard let header = CompiledHeader(bytes, fileSize: size),
      let mapping = TableMapping(descriptor: descriptor, size: size)
    else { return nil }
    (self.header, self.mapping) = (header, mapping)
  }

  /// Looks up addresses in order, thread-safely and without allocation.
  ///
  /// The findings must fit into the output; after an error, those appended are invalid.
  public func locate(
    _ addresses: Span<Address>,
    into findings: inout OutputSpan<Finding>
  ) throws(Damage) {
    let search = TableSearch(layout: header.layout, mapping: mapping)
    var known = verified.withLock { $0 }
    var steps = InlineArray<32, TableSearch.Step>(repeating: TableSearch.Step())
    for start in stride(from: 0, to: addresses.count, by: steps.count) {
      let part = addresses.extracting(start..<min(start &+ steps.count, addresses.count))
      // Step by step for all of them, so that waits for memory overlap.
      for index in part.indices {
        steps[index] = search.step(to: part[index])
        try verify(steps[index].group, &known)
      }
      for index in part.indices { search.begin(&steps[index]) }
      for index in part.indices { search.end(&steps[index]) }
      for index in part.indices {
        var finding = search.finding(at: steps[index])
        if let depth = finding.value.embeddingDepth {
          finding = try findEmbedded(in: part[index], at: depth, search, &known)
        }
        findings.append(finding)
      }
    }
  }

  /// Looks up an IPv6 address with an embedded IPv4 address by the latter.
  private func findEmbedded(
    in address: Address,
    at depth: Int,
    _ search: TableSearch,
    _ known: inout InlineArray<8, UInt64>
  ) throws(Damage) -> Finding {
    let number = UInt32(truncatingIfNeeded: (address.number << UInt128(depth)) >> 96)
    var step = search.step(to: Address(ipv4: number))
    try verify(step.group, &known)
    search.end(&step)
    var finding = search.finding(at: step)
    if finding.value != .nothing {
      finding.form = NetworkForm(length: min(depth + Int(finding.form.byte), 128))
    }
    return finding
  }

  /// The finding in the range of an address, and the last address of that range.
  func find(_ address: Address) throws(Damage) -> (finding: Finding, last: Address) {
    let search = TableSearch(layout: header.layout, mapping: mapping)
    var known = verified.withLock { $0 }
    var step = search.step(to: address)
    try verify(step.group, &known)
    search.end(&step)
    // Whatever the file holds, no range ends before an address in it.
    return (search.finding(at: step), max(search.lastAddress(at: step), address))
  }

  @inline(__always)
  private func verify(_ group: Int, _ known: inout InlineArray<8, UInt64>) throws(Damage) {
    guard known[group >> 6] & 1 << UInt64(group & 63) == 0 else { return }
    try check(group)
    known[group >> 6] |= 1 << UInt64(group & 63)
    verified.withLock { [known] in $0[group >> 6] |= known[group >> 6] }
  }

  private func check(_ group: Int) throws(Damage) {
    let isIPv6 = group >= CompiledLayout.groups
    let number = group % CompiledLayout.groups
    guard let sum = mapping.sum(ofGroup: number, in: header.layout, isIPv6: isIPv6),
      sum == header.sums[group]
    else { throw Damage() }
  }
}

extension TableMapping {
  /// The checksum of all data of one /8; `nil` if the index is invalid.
  func sum(ofGroup group: Int, in layout: CompiledLayout, isIPv6: Bool) -> UInt64? {
    let family = isIPv6 ? layout.ipv6 : layout.ipv4
    let buckets = CompiledLayout.buckets / CompiledLayout.groups
    let index = unsafe values(
      UInt32.self,
      at: family.index + 4 * group * buckets,
      count: buckets + 1
    )
    let entries = unsafe index.span
    guard entries.count == buckets + 1 else { return nil }
    for place in 0..<buckets where entries[place] >= entries[place + 1] { return nil }
    let first = Int(entries[0])
    let count = Int(entries[buckets]) - first
    guard first + count <= family.count else { return nil }
    var sum = Checksum.of(entries)
    let width = isIPv6 ? 8 : 2
    var sections = [(family.values, 4), (family.starts, width), (family.forms, 1)]
    if isIPv6 { sections.append((family.lows, 8)) }
    for (offset, width) in sections {
      let section = unsafe bytes(at: offset + first * width, count: count * width)
      sum = unsafe Checksum.of(section.bytes, after: sum)
    }
    return sum
  }
}
