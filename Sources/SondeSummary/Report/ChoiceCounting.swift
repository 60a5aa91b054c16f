import SondeAddresses
import SondePrivacy
import SondeRecords
import SondeSystem

/// Counts the combinations of a report's rows.
struct ChoiceCounting {
  typealias Part = SummaryChoices.Part

  private let counts: SummaryCounts
  private let entries: ChoiceEntries
  private let tables: [SummaryTable]
  private var made = SummaryChoices()
  /// For each profile its combination; the last one is for unanswered addresses.
  private var combinations: [Int32] = []
  /// For each scene its row of the timeline; -1 without a time.
  private var slots: [Int32] = []
  private var cells: [UInt64: SummaryChoices.Cell] = [:]
  private var shared: [[Int32]: Int] = [:]

  /// Creates a counter for tables with the keys that profiles have.
  init(_ counts: SummaryCounts, _ tables: [SummaryTable], anonymizer: Anonymizer?) {
    (self.counts, self.tables) = (counts, tables)
    entries = ChoiceEntries(counts, anonymizer)
    made.panels = tables.map(\.kind).filter { $0 != .address && !$0.isTimeline }
    numberCombinations()
    numberTimes()
  }

  /// The combinations, with at most some addresses.
  consuming func choices(addresses most: Int) -> SummaryChoices {
    countAddresses(most)
    countUnaddressed()
    takeCells()
    takeShared()
    sort()
    return made
  }

  // MARK: - Numbers

  private mutating func numberCombinations() {
    var numbers: [[Int32]: Int32] = [:]
    let rows = made.panels.map { kind in
      let keys = tables.first { $0.kind == kind }?.rows.map(\.key) ?? []
      return Dictionary(zip(keys, keys.indices.map { Int32($0) })) { first, _ in first }
    }
    combinations = (counts.profiles.all + [Profiles.Profile()]).map { profile in
      let key = zip(made.panels, rows).map { $1[profile.key($0)] ?? -1 }
      if let known = numbers[key] { return known }
      let number = Int32(made.combinations.count)
      numbers[key] = number
      made.combinations.append(SummaryChoices.Combination())
      made.rows += key
      return number
    }
  }

  private mutating func numberTimes() {
    let scenes = counts.occurrences?.scenes ?? []
    slots = [Int32](repeating: -1, count: max(1, scenes.count))
    guard
      let table = tables.first(where: { $0.kind == .hour })
        ?? tables.first(where: { $0.kind == .day }),
      scenes.contains(where: { $0.hour != nil })
    else { return }
    made.timeline = table.kind
    made.timeAddresses = [Int](repeating: 0, count: table.rows.count)
    var numbers: [Int64: Int32] = [:]
    for (row, each) in table.rows.enumerated() {
      if let start = each.start { numbers[start] = Int32(row) }
    }
    let timeline = counts.timeline
    for (index, scene) in scenes.enumerated() {
      guard let hour = scene.hour else { continue }
      let start =
        table.kind == .hour
        ? hour : timeline.zone.moment(at: timeline.day(of: hour) * secondsOfDay)
      slots[index] = numbers[start] ?? -1
    }
  }

  private func combination(ofEntry entry: Int) -> Int32 {
    let profile = counts.profile(of: entries.addresses.entries[entry])
    return combinations[profile?.index ?? combinations.count - 1]
  }

  private func parts(of entries: ArraySlice<UInt32>) -> [Part] {
    self.entries.parts(
      of: entries,
      combination: { combination(ofEntry: $0) },
      time: { slots[$0] }
    )
  }

  // MARK: - Addresses

  private mutating func countAddresses(_ most: Int) {
    var leading = LeadingRows(most: most)
    var perTime: [Int32: LeadingRows] = [:]
    let key = { [entries] row in entries.key(ofRow: row) }
    for row in 0..<entries.count {
      var all: [Part] = []
      for address in entries.addresses(ofRow: row) {
        let parts = parts(of: address)
        count(parts, addresses: 1)
        all += parts
      }
      let hits = all.reduce(0) { $0 + $1.hits }
      guard hits > 0 else { continue }
      leading.offer(row, hits: hits, key: key)
      guard made.timeline != nil else { continue }
      for (time, hits) in hitsByTime(all) {
        perTime[time, default: LeadingRows(most: SummaryChoices.perTime)]
          .offer(row, hits: hits, key: key)
      }
    }
    let first = leading.cutRows()
    let known = Set(first.map(\.row))
    var others: [Int: LeadingRows.Candidate] = [:]
    for time in perTime.keys {
      for candidate in perTime[time]?.cutRows() ?? [] where !known.contains(candidate.row) {
        others[candidate.row] = candidate
      }
    }
    take(first.map(\.row))
    made.leading = made.addresses.count
    let rest = others.values.map { other in
      let hits = parts(of: entries.entries(ofRow: other.row)).reduce(0) { $0 + $1.hits }
      return LeadingRows.Candidate(row: other.row, hits: hits, key: other.key)
    }
    take(rest.sorted { $0.comesBefore($1) }.map(\.row))
  }

  private func hitsByTime(_ parts: [Part]) -> [(Int32, Int)] {
    var sums: [(time: Int32, hits: Int)] = []
    for part in parts where part.time >= 0 {
      if let known = sums.lastIndex(where: { $0.time == part.time }) {
        sums[known].hits += part.hits
      } else {
        sums.append((part.time, part.hits))
      }
    }
    return sums
  }

  /// Counts the hits of an address, or of none.
  private mutating func count(_ parts: [Part], addresses: Int) {
    var (before, own) = (Int32(-1), [Int32]())
    for part in parts {
      let number = Int(part.combination)
      made.combinations[number].hits += part.hits
      if part.combination != before {
        made.combinations[number].addresses += addresses
        own.append(part.combination)
        before = part.combination
      }
      guard part.time >= 0 else { continue }
      let key = UInt64(number) << 32 | UInt64(part.time)
      cells[key, default: SummaryChoices.Cell(time: part.time)].hits += part.hits
      cells[key]?.addresses += addresses
    }
    guard own.count > 1 else {
      for part in parts where part.time >= 0 { made.timeAddresses[Int(part.time)] += addresses }
      return
    }
    guard addresses > 0 else { return }
    shared[[-1] + own, default: 0] += 1
    for time in Set(parts.map(\.time)) where time >= 0 {
      made.timeAddresses[Int(time)] += 1
      let those = parts.filter { $0.time == time }.map(\.combination)
      if those.count > 1 { shared[[time] + those, default: 0] += 1 }
    }
  }

  /// Takes the rows of some addresses with all that is known of them.
  private mutating func take(_ rows: [Int]) {
    for row in rows {
      let parts = ChoiceEntries.merged(parts(of: entries.entries(ofRow: row)))
      let addresses = entries.addresses(ofRow: row)
      // The description is that of the address with the most hits.
      let described =
        addresses.count == 1
        ? addresses[0]
        : addresses.max { hits(of: $0) < hits(of: $1) } ?? addresses[0]
      let times =
        entries.times.isEmpty
        ? [] : entries.entries(ofRow: row).compactMap { entries.times[Int($0)] }
      append(
        SummaryChoices.Address(
          key: entries.key(ofRow: row),
          note: note(of: described),
          home: described.first.map { Int(combination(ofEntry: Int($0))) },
          hits: parts.reduce(0) { $0 + $1.hits },
          addresses: addresses.count,
          firstSeen: times.map(\.lowerBound).min()?.dividedDown(by: 1000),
          lastSeen: times.map(\.upperBound).max()?.dividedDown(by: 1000)
        ),
        parts
      )
    }
  }

  private mutating func append(_ address: SummaryChoices.Address, _ parts: [Part]) {
    var address = address
    address.parts = made.parts.count..<made.parts.count + parts.count
    made.parts += parts
    made.addresses.append(address)
  }

  private func hits(of address: ArraySlice<UInt32>) -> Int {
    parts(of: address).reduce(0) { $0 + $1.hits }
  }

  /// What is known of an address without a country, network or city.
  private func note(of address: ArraySlice<UInt32>) -> String {
    let all = entries.addresses.entries
    let profile = address.lazy.compactMap { counts.profile(of: all[Int($0)]) }.first
    guard let known = profile.map({ counts.profiles.all[$0.index] }) else { return "" }
    guard known.status == .reserved else {
      return known.countryCode.isEmpty && known.asn == 0 && known.city.isEmpty ? known.words : ""
    }
    return address.first.flatMap { all[Int($0)].address.specialPurpose?.name } ?? ""
  }

  /// Counts the hits without an address, as a last one without a text.
  private mutating func countUnaddressed() {
    var parts: [Part] = []
    if let occurrences = counts.occurrences {
      for (key, hits) in occurrences.unaddressed {
        let (profile, scene) = (Int(key >> 32), Int(key & 0xffff_ffff))
        let part = Part(combination: combinations[profile], time: slots[scene], hits: hits.count)
        parts.append(part)
      }
    } else {
      for (profile, hits) in counts.addresses.unaddressed {
        parts.append(Part(combination: combinations[profile.index], time: -1, hits: hits))
      }
    }
    guard !parts.isEmpty else { return }
    parts = ChoiceEntries.merged(parts)
    count(parts, addresses: 0)
    let hits = parts.reduce(0) { $0 + $1.hits }
    let times = counts.occurrences?.unaddressed.values.filter { $0.first <= $0.last } ?? []
    append(
      SummaryChoices.Address(
        key: "",
        note: "",
        home: nil,
        hits: hits,
        addresses: 0,
        firstSeen: times.map(\.first).min()?.dividedDown(by: 1000),
        lastSeen: times.map(\.last).max()?.dividedDown(by: 1000)
      ),
      parts
    )
  }

  // MARK: - Results

  private mutating func takeCells() {
    for key in cells.keys.sorted() {
      let number = Int(key >> 32)
      let place = made.cells.count
      if made.combinations[number].cells.isEmpty { made.combinations[number].cells = place..<place }
      made.combinations[number].cells = made.combinations[number].cells.lowerBound..<place + 1
      if let cell = cells[key] { made.cells.append(cell) }
    }
    cells = [:]
  }

  private mutating func takeShared() {
    let sorted = shared.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    made.shared = sorted.map { key, addresses in
      SummaryChoices.Shared(time: key[0], combinations: Array(key[1...]), addresses: addresses)
    }
  }

  /// Brings the combinations into their order, without those that have no hit.
  private mutating func sort() {
    let all = made.combinations
    var ranks = [Int](repeating: Int.max, count: all.count)
    for (index, part) in made.parts.enumerated() {
      ranks[Int(part.combination)] = min(ranks[Int(part.combination)], index)
    }
    let order = all.indices.filter { all[$0].hits > 0 }.sorted { left, right in
      (ranks[left], -all[left].hits, left) < (ranks[right], -all[right].hits, right)
    }
    var numbers = [Int32](repeating: -1, count: all.count)
    for (number, index) in order.enumerated() { numbers[index] = Int32(number) }
    let width = made.panels.count
    made.rows = order.flatMap { made.rows[$0 * width..<($0 + 1) * width] }
    made.combinations = order.map { all[$0] }
    for index in made.parts.indices {
      made.parts[index].combination = numbers[Int(made.parts[index].combination)]
    }
    for index in made.addresses.indices {
      let home = made.addresses[index].home.map { Int(numbers[$0]) }
      made.addresses[index].home = home == -1 ? nil : home
    }
    for index in made.shared.indices {
      made.shared[index].combinations = made.shared[index].combinations.map { numbers[Int($0)] }
    }
  }
}
