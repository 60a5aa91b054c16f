/// A block of addresses that do not belong to hosts on the public Internet.
public struct SpecialPurposeBlock: Hashable, Sendable {
  /// The addresses of the block.
  public let range: AddressRange

  /// The block in CIDR notation, such as `10.0.0.0/8`.
  public let prefix: String

  /// The block's name in the registry, such as `Private-Use`.
  public let name: String

  /// The document that reserves it, such as `RFC 1918`.
  public let rfc: String

  /// Prefix, name and document, as in `10.0.0.0/8 Private-Use (RFC 1918)`.
  public let message: String

  init?(_ row: SpecialPurposeRow) {
    guard case .range(let range) = ListItem.parse(operand: row.prefix.utf8Span.span) else {
      return nil
    }
    (self.range, prefix, name, rfc) = (range, row.prefix, row.name, row.rfc)
    message = "\(row.prefix) \(row.name) (\(row.rfc))"
  }
}

extension Address {
  /// The special-purpose block for which this address is not looked up; `nil` if it is looked up.
  ///
  /// The most specific block of the IANA IPv4 and IPv6 special-purpose registries (RFC 6890)
  /// decides: `False` in the column "Globally Reachable" gives the block, `True` and `N/A` give
  /// `nil`. Multicast and the former site-local addresses are treated as if they were registered as
  /// `False`.
  public var specialPurpose: SpecialPurposeBlock? {
    guard mayBeSpecial else { return nil }
    let blocks = isIPv4 ? SpecialPurposeBlock.ipv4 : SpecialPurposeBlock.ipv6
    return blocks.first { $0.range.contains(self) }?.block
  }

  /// A quick check of the leading bits, so that most addresses need no search of the table.
  @inline(__always)
  private var mayBeSpecial: Bool {
    if isIPv4 {
      let octet = low >> 24 & 0xff
      let word = SpecialPurposeBlock.firstOctets[Int(truncatingIfNeeded: octet >> 6)]
      return word >> (octet & 63) & 1 != 0
    }
    let group = high >> 48
    return group >> 13 != 1 || group == 0x2001 || group == 0x3fff
  }
}

extension SpecialPurposeBlock {
  /// A range of the registry with the block to report for it, if any.
  struct Entry: Sendable {
    let range: AddressRange
    let block: SpecialPurposeBlock?
  }

  /// The registered IPv4 blocks, the most specific first.
  static let ipv4: [Entry] = entries(SpecialPurposeRow.ipv4)

  /// The registered IPv6 blocks, the most specific first.
  static let ipv6: [Entry] = entries(SpecialPurposeRow.ipv6)

  /// One bit per first octet of the IPv4 blocks that are not globally reachable.
  static let firstOctets: InlineArray<4, UInt64> = [
    1 << 0 | 1 << 10,
    1 << (100 - 64) | 1 << (127 - 64),
    1 << (169 - 128) | 1 << (172 - 128),
    1 << (192 - 192) | 1 << (198 - 192) | 1 << (203 - 192) | 0xffff_ffff << (224 - 192),
  ]

  private static func entries(_ rows: [SpecialPurposeRow]) -> [Entry] {
    rows.compactMap { row in
      SpecialPurposeBlock(row).map {
        Entry(range: $0.range, block: row.isGloballyReachable == .no ? $0 : nil)
      }
    }
    .sorted { $0.range.lastOffset < $1.range.lastOffset }
  }
}

extension SpecialPurposeBlock {
  /// The ranges of all addresses that have a ``Address/specialPurpose`` block.
  ///
  /// Globally reachable parts of a block are left out of it.
  public static let unreachableRanges: [AddressRange] = [ipv4, ipv6].flatMap { entries in
    // The most specific entry decides, and comes first.
    entries.indices.flatMap { index -> [AddressRange] in
      guard entries[index].block != nil else { return [] }
      let within = entries[..<index].filter { entries[index].range.contains($0.range.first) }
      return entries[index].range.parts(outside: within.map(\.range))
    }
  }
}

extension AddressRange {
  /// The parts of a range outside others, which may overlap.
  fileprivate func parts(outside others: [AddressRange]) -> [AddressRange] {
    var parts: [AddressRange] = []
    var next: UInt128? = first.number
    for other in others.sorted(by: { $0.first < $1.first }) {
      guard let start = next, other.last.number >= start else { continue }
      if other.first.number > start {
        parts += Self.numbers(from: start, through: other.first.number - 1)
      }
      next = other.last.number < last.number ? other.last.number + 1 : nil
    }
    if let next { parts += Self.numbers(from: next, through: last.number) }
    return parts
  }

  private static func numbers(from first: UInt128, through last: UInt128) -> [AddressRange] {
    AddressRange(first: Address(number: first), last: Address(number: last)).map { [$0] } ?? []
  }
}
