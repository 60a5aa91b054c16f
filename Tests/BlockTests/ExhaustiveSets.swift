import SondeAddresses
import SondeBlock
import SondeTables

/// All sets of rules that there are for a few addresses, one by one: the slow and obvious twin.
struct ExhaustiveSets {
  let hits: [AddressHits]
  let never: [AddressRange]
  let limits: BlockLimits

  /// What a set is compared by.
  struct Figures: Equatable {
    var rules = 0
    var good: UInt64 = 0
    var bad: UInt64 = 0
    var spanIPv4: UInt64 = 0
    var spanIPv6: UInt128 = 0
    var isMet = false

    func isBetter(than other: Figures) -> Bool {
      if isMet != other.isMet { return isMet }
      if !isMet, bad != other.bad { return bad > other.bad }
      if rules != other.rules { return rules < other.rules }
      if good != other.good { return good < other.good }
      if bad != other.bad { return bad > other.bad }
      return (spanIPv4, spanIPv6) < (other.spanIPv4, other.spanIPv6)
    }
  }

  private func isSpared(_ address: Address) -> Bool {
    address.specialPurpose != nil || never.contains { $0.contains(address) }
  }

  private func weight(_ hits: UInt64) -> UInt64 { limits.count == .hits ? hits : min(hits, 1) }

  /// Every prefix of allowed lengths that holds a bad address and overlaps nothing spared.
  private var candidates: [AddressRange] {
    var found: Set<AddressRange> = []
    for one in hits where one.bad > 0 && !isSpared(one.address) {
      let isIPv4 = one.address.isIPv4
      let shortest = isIPv4 ? limits.shortest.ipv4 : limits.shortest.ipv6
      let longest = isIPv4 ? limits.longest.ipv4 : limits.longest.ipv6
      for length in shortest...longest {
        let range = AddressRange(block: one.address, length: length)
        let overlaps = never.contains { $0.first <= range.last && range.first <= $0.last }
        if !overlaps { found.insert(range) }
      }
    }
    // Of those with the same bad addresses only the smallest: any other one costs more span.
    let smallest = found.filter { range in
      !found.contains {
        $0 != range && range.contains($0.first) && range.contains($0.last)
          && covered($0) == covered(range)
      }
    }
    return smallest.sorted { ($0.first, $0.last) < ($1.first, $1.last) }
  }

  private func covered(_ range: AddressRange) -> [Address] {
    hits.filter { $0.bad > 0 && range.contains($0.address) }.map(\.address).sorted()
  }

  /// The figures of the best set.
  var best: Figures {
    let counted = hits.filter { !isSpared($0.address) }
    let totalBad = counted.reduce(0) { $0 + weight($1.bad) }
    let totalGood = counted.reduce(0) { $0 + weight($1.good) }
    let (least, most) = (
      limits.cover.atLeast(of: totalBad), limits.collateral.atMost(of: totalGood)
    )
    let candidates = candidates
    let parts = candidates.map { range in
      let inside = counted.filter { range.contains($0.address) }
      var figures = Figures()
      figures.rules = 1
      figures.bad = inside.reduce(0) { $0 + weight($1.bad) }
      figures.good = inside.reduce(0) { $0 + weight($1.good) }
      if range.first.isIPv4 {
        figures.spanIPv4 = UInt64(range.lastOffset) + 1
      } else {
        figures.spanIPv6 = range.lastOffset + 1
      }
      return figures
    }
    var best: Figures?
    func extend(_ index: Int, _ sums: Figures, _ chosen: [AddressRange]) {
      guard index < candidates.count else {
        var sums = sums
        guard sums.good <= most, sums.rules <= limits.mostRules ?? .max else { return }
        sums.isMet = sums.bad >= least
        if best.map({ sums.isBetter(than: $0) }) ?? true { best = sums }
        return
      }
      extend(index + 1, sums, chosen)
      let range = candidates[index]
      let overlaps = chosen.contains { $0.first <= range.last && range.first <= $0.last }
      guard !overlaps else { return }
      var more = sums
      more.rules += 1
      more.bad += parts[index].bad
      more.good += parts[index].good
      more.spanIPv4 += parts[index].spanIPv4
      more.spanIPv6 += parts[index].spanIPv6
      extend(index + 1, more, chosen + [range])
    }
    extend(0, Figures(), [])
    return best ?? Figures()
  }
}
