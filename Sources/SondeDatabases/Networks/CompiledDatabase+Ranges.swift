import SondeAddresses

extension CompiledDatabase {
  /// The finding for an address and those after it, up to the last one for which it is known to be
  /// the same: that of a range, which may be followed by another with the same finding.
  func range(at address: Address) throws(Damage) -> (finding: Finding, last: Address) {
    let (finding, last) = try find(address)
    guard let depth = finding.value.embeddingDepth else { return (finding, last) }
    // The 32 bits from `depth` on are an IPv4 address, whatever follows them.
    let number = UInt32(truncatingIfNeeded: (address.number << UInt128(depth)) >> 96)
    var (inner, innerLast) = try find(Address(ipv4: number))
    guard inner.value.embeddingDepth == nil else { throw Damage() }
    if !inner.isNothing {
      inner.form = NetworkForm(length: min(depth + Int(inner.form.byte), 128))
    }
    let rest = UInt128(96 - depth)
    let begin = address.number & ~(UInt128.max >> UInt128(depth))
    let embedded = UInt128(UInt32(truncatingIfNeeded: innerLast.low)) << rest
    return (inner, min(last, Address(number: begin | embedded | (1 << rest - 1))))
  }

  /// Whether the answer of an IPv6 address is that of an IPv4 address in it.
  func isEmbedding(_ address: Address) throws(Damage) -> Bool {
    try find(address).finding.value.embeddingDepth != nil
  }

  /// The AS number of a finding; 0 if it has none.
  func systemNumber(of finding: Finding) -> UInt32 {
    finding.isNothing ? 0 : CompiledAnswer.systemNumber(in: mapping, at: finding.value.offset)
  }
}

extension CompiledDatabase.Finding {
  /// The last address of the network that holds an address with this finding.
  func lastAddress(ofNetworkAt address: Address) -> Address {
    guard address.isIPv4 else {
      return AddressRange(block: address, length: min(Int(form.byte), 128)).last
    }
    // A network wider than all of IPv4 has no more IPv4 addresses than these.
    return AddressRange(block: address, length: form.byte > 32 ? 0 : Int(form.byte)).last
  }
}
