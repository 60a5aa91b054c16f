import SondeAddresses
import SondeTables
import TestSupport
import Testing

@testable import SondeBlock

struct BlockPlanTests {
  /// A few addresses close to each other, of both families, and limits for them.
  struct Case {
    var hits: [AddressHits] = []
    var never: [AddressRange] = []
    var limits = BlockLimits()

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      func number(_ range: ClosedRange<UInt64>) -> UInt64 { .random(in: range, using: &random) }
      let count = number(0...8)
      var seen: Set<Address> = []
      for _ in 0..<count {
        let isIPv4 = number(0...2) > 0
        let address =
          isIPv4
          ? Address(ipv4: 0x0808_0800 | UInt32(number(0...7) << 6 | number(0...7)))
          : Address(high: 0x2a00_0001_0000_0000 | number(0...7), low: number(0...1))
        guard seen.insert(address).inserted else { continue }
        var one = AddressHits(address)
        let kind = number(0...5)
        if kind != 0 { one.bad = number(1...4) << (number(0...9) == 0 ? 40 : 0) }
        if kind < 2 { one.good = number(1...3) }
        if number(0...4) == 0 { one.other = number(1...9) }
        hits.append(one)
      }
      if number(0...3) == 0 {
        hits.append(AddressHits(Address(ipv4: 0x0a00_0001), bad: 3, good: 1))
      }
      if number(0...2) == 0, let one = hits.randomElement(using: &random) {
        let most = one.address.isIPv4 ? 32 : 128
        never.append(AddressRange(block: one.address, length: most - Int(number(0...4))))
      }
      let shares = ["0%", "10%", "33.3%", "50%", "80%", "95%", "100%"]
      func share() -> Share { Share(shares[Int(number(0...6))]) ?? BlockLimits().cover }
      (limits.cover, limits.collateral) = (share(), share())
      limits.shortest = .init(ipv4: Int(number(20...28)), ipv6: Int(number(48...62)))
      limits.longest = .init(ipv4: Int(number(28...32)), ipv6: number(0...1) == 0 ? 64 : 128)
      if number(0...2) == 0 { limits.mostRules = Int(number(0...4)) }
      if number(0...2) == 0 { limits.count = .addresses }
    }
  }

  private func figures(_ plan: BlockPlan) -> ExhaustiveSets.Figures {
    var figures = ExhaustiveSets.Figures()
    figures.rules = plan.rules.count
    (figures.good, figures.bad) = (plan.totals.goodTouched, plan.totals.badCovered)
    figures.spanIPv4 = plan.totals.spanIPv4
    for rule in plan.rules where !rule.prefix.address.isIPv4 {
      figures.spanIPv6 += 1 << UInt128(128 - rule.prefix.length)
    }
    figures.isMet = plan.totals.isMet
    return figures
  }

  @Test func `small sets are the best of all that there are`() {
    var differences: [UInt64] = []
    for seed in UInt64(1)...10_000 {
      let one = Case(seed: seed)
      let plan = BlockPlan(one.hits, sparing: SparedNetworks(one.never), one.limits)
      let best = ExhaustiveSets(hits: one.hits, never: one.never, limits: one.limits).best
      if figures(plan) != best || plan.totals.atLeast != best.rules { differences.append(seed) }
    }
    #expect(differences == [])
  }

  @Test func `the order of addresses changes nothing`() {
    for seed in UInt64(1)...300 {
      let one = Case(seed: seed)
      var random = SeededGenerator(seed: seed)
      let spared = SparedNetworks(one.never)
      let plan = BlockPlan(one.hits, sparing: spared, one.limits)
      let shuffled = BlockPlan(one.hits.shuffled(using: &random), sparing: spared, one.limits)
      #expect(plan.bytes(as: .json, RuleStyle()) == shuffled.bytes(as: .json, RuleStyle()))
      #expect(plan.bytes(as: .nft, RuleStyle()) == shuffled.bytes(as: .nft, RuleStyle()))
    }
  }

  /// Many addresses in some hundred networks, good ones among them.
  private func attack(_ count: Int, seed: UInt64) -> [AddressHits] {
    var random = SeededGenerator(seed: seed)
    var hits: [Address: AddressHits] = [:]
    for _ in 0..<count {
      let network = UInt32.random(in: 0..<UInt32(max(4, count / 8)), using: &random)
      let host = UInt32.random(in: 0...255, using: &random)
      let address = Address(ipv4: 0x2000_0000 + network << 8 | host)
      let isGood = network % 3 == 0 && Int.random(in: 0..<3, using: &random) == 0
      let weight = UInt64(1) << UInt64.random(in: 0...8, using: &random)
      hits[address, default: AddressHits(address)].bad += isGood ? 0 : weight
      hits[address, default: AddressHits(address)].good += isGood ? weight / 4 + 1 : 0
    }
    return Array(hits.values)
  }

  @Test func `large sets are near their bound and within all limits`() throws {
    for (seed, share) in ["0.1%", "1%", "5%", "20%"].enumerated() {
      for count in [2_500, 5_000] {
        let hits = attack(count, seed: UInt64(seed + count))
        var limits = BlockLimits()
        limits.collateral = try #require(Share(share))
        let plan = BlockPlan(hits, sparing: SparedNetworks([]), limits)
        #expect(plan.totals.isMet)
        #expect(RuleSearch.isNear(plan.rules.count, plan.totals.atLeast), "\(share) of \(count)")
        #expect(plan.totals.atLeast <= plan.rules.count)
        let sums = sums(of: plan, hits)
        #expect(sums == [plan.totals.badCovered, plan.totals.goodTouched])
        #expect(plan.totals.badCovered >= limits.cover.atLeast(of: plan.totals.bad))
        #expect(plan.totals.goodTouched <= limits.collateral.atMost(of: plan.totals.good))
      }
    }
  }

  /// Bad and good hits in the rules, counted rule by rule and address by address.
  private func sums(of plan: BlockPlan, _ hits: [AddressHits]) -> [UInt64] {
    let ranges = plan.rules.map { AddressRange(block: $0.prefix.address, length: $0.prefix.length) }
      .sorted { $0.first < $1.first }
    for (one, next) in zip(ranges, ranges.dropFirst()) { #expect(one.last < next.first) }
    let inside = hits.filter { one in
      let index = ranges.firstIndex { $0.last >= one.address }
      return index.map { ranges[$0].contains(one.address) } ?? false
    }
    return [inside.reduce(0) { $0 + $1.bad }, inside.reduce(0) { $0 + $1.good }]
  }

  @Test func `every special-purpose address is spared, and no other`() {
    let spared = SparedNetworks([])
    var random = SeededGenerator(seed: 7)
    for block in SpecialPurposeBlock.unreachableRanges {
      for number in [
        block.first.number, block.last.number, block.first.number &- 1, block.last.number &+ 1,
      ] {
        let address = Address(number: number)
        #expect(spared.contains(address) == (address.specialPurpose != nil), "\(address)")
      }
    }
    for _ in 0..<10_000 {
      let address = Address(ipv4: .random(in: 0 ... .max, using: &random))
      #expect(spared.contains(address) == (address.specialPurpose != nil), "\(address)")
    }
  }

  @Test(arguments: ["95%", "0.1%", "100%", "0%", "33.333333333333333%"])
  func `shares are read`(text: String) { #expect(Share(text) != nil) }

  @Test(arguments: [
    "", "%", "95", "101%", "-1%", "1.%", ".5%", "1e1%", "100.1%", "0.1234567890123456%",
  ])
  func `what is no share is refused`(text: String) { #expect(Share(text) == nil) }

  @Test func `shares are compared without rounding`() throws {
    let share = try #require(Share("33.3%"))
    #expect(share.atLeast(of: 1000) == 333)
    #expect(share.atLeast(of: 1001) == 334)
    #expect(share.atMost(of: 1001) == 333)
    #expect(share.atLeast(of: .max) == UInt64((UInt128(UInt64.max) * 333 + 999) / 1000))
  }
}
