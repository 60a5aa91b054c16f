import SondeAddresses
import SondePrivacy
import SondeRecords
import SondeSystem

/// Makes the tables of combinations.
struct Combinations {
  private let counts: SummaryCounts
  private let occurrences: Occurrences
  private let inputs: [String]
  private let zone: TimeZoneRules
  private let columns: [Field]
  private let hits: Int
  /// For each entry the first one of its address; empty if each is the only one.
  private var firsts: [Int] = []
  /// For each entry what its address became; empty if addresses are shown.
  private let replacements: [Address]
  /// For each entry the first one whose address became the same; empty if addresses are shown.
  private var equals: [Int] = []
  /// The texts of profiles' columns, each numbered.
  private let texts: [[UInt32]]
  private let words: [[String]]
  private let inputNumbers: [Int]

  /// A combination, by the numbers of its values.
  private struct Group {
    var hits = Occurrences.Hits()
    var addresses = 0
    var latest = -1
    let entry: Int
    let scene: Int
    let profile: Int?

    mutating func add(_ other: Occurrences.Hits, of address: Int) {
      let hasTime = other.first <= other.last
      hits.add(other.count, at: hasTime ? other.first...other.last : nil)
      if address >= 0, address != latest { (addresses, latest) = (addresses + 1, address) }
    }
  }

  /// Creates tables in which `anonymizer` replaces the addresses; those that become equal are one.
  init?(_ counts: SummaryCounts, inputs: [String], hits: Int, anonymizer: Anonymizer? = nil) {
    guard let occurrences = counts.occurrences else { return nil }
    (self.counts, self.occurrences, self.inputs) = (counts, occurrences, inputs)
    (zone, columns, self.hits) = (counts.timeline.zone, counts.profiles.columns, hits)
    let entries = counts.groupedAddresses.entries
    if counts.groupedAddresses.followers > 0 {
      firsts = Array(entries.indices)
      for index in entries.indices {
        if let next = entries[index].next.index { firsts[next] = firsts[index] }
      }
    }
    var replacements = anonymizer == nil ? [] : entries.map(\.address)
    anonymizer?.replace(&replacements)
    self.replacements = replacements
    var numbers: [Address: Int] = [:]
    equals = replacements.indices.map { index in
      numbers[replacements[index]]
        ?? {
          numbers[replacements[index]] = index; return index
        }()
    }
    (texts, words) = counts.profiles.numberedTexts
    // A file that is given twice is one input.
    inputNumbers = inputs.indices.map { inputs.firstIndex(of: inputs[$0]) ?? $0 } + [-1]
  }

  /// The table of a grouping, with at most some rows.
  func table(_ grouping: Grouping, most: Int) -> CombinationTable {
    let groups = groups(of: grouping)
    let least = groups.count > most ? groups.map(\.hits.count).sorted(by: >)[max(0, most - 1)] : 0
    var rows = groups.filter { $0.hits.count >= least }.map { row($0, grouping) }
    rows.sort(by: CombinationTable.Row.comesBefore)
    return CombinationTable(
      grouping: grouping,
      rows: Array(rows.prefix(most)),
      count: groups.count
    )
  }

  private func groups(of grouping: Grouping) -> [Group] {
    var rows = GroupNumbers(width: grouping.parts.count)
    let parts = grouping.parts.map { ($0, column(of: $0)) }
    var groups: [Group] = []
    var key = [Int64](repeating: 0, count: parts.count)
    func add(_ hits: Occurrences.Hits, entry: Int, scene: Int, profile: Int?) {
      let address = entry < 0 ? -1 : firsts.isEmpty ? entry : firsts[entry]
      for (index, (part, column)) in parts.enumerated() {
        key[index] = number(of: part, column, address: address, scene: scene, profile: profile)
      }
      let number = rows.number(of: key)
      if number == groups.count {
        groups.append(Group(entry: entry, scene: scene, profile: profile))
      }
      groups[number].add(hits, of: address)
    }
    let entries = counts.groupedAddresses.entries
    for (entry, scene, hits) in cells {
      let profile = counts.profile(of: entries[entry])?.index
      add(hits, entry: entry, scene: scene, profile: profile)
    }
    for (key, hits) in occurrences.unaddressed.sorted(by: { $0.key < $1.key }) {
      add(hits, entry: -1, scene: Int(key & 0xffff_ffff), profile: Int(key >> 32))
    }
    return groups
  }

  /// All hits of entries, with all scenes of an address one after the other, so that it counts once
  /// in each row.
  private var cells: [(entry: Int, scene: Int, hits: Occurrences.Hits)] {
    var cells: [(entry: Int, scene: Int, hits: Occurrences.Hits)] = []
    occurrences.forEach { cells.append(($0, $1, $2)) }
    guard occurrences.scenes.count > 1 || !firsts.isEmpty else { return cells }
    return cells.sorted { left, right in
      let (mine, other) =
        firsts.isEmpty ? (left.entry, right.entry) : (firsts[left.entry], firsts[right.entry])
      return (mine, left.entry, left.scene) < (other, right.entry, right.scene)
    }
  }

  /// The column of profiles' texts that a part shows; `nil` if it shows none.
  private func column(of part: Grouping.Part) -> Int? {
    switch part {
    case .answer(.source): columns.count
    case .answer(let field): columns.firstIndex(of: field)
    case .address, .input, .hour, .day, .hourOfDay, .weekday: nil
    }
  }

  /// A number that two values of a part share if they are equal; -1 if it is missing.
  private func number(
    of part: Grouping.Part,
    _ column: Int?,
    address: Int,
    scene: Int,
    profile: Int?
  ) -> Int64 {
    let scene = occurrences.scenes[scene]
    switch part {
    case .address: return Int64(address < 0 || equals.isEmpty ? address : equals[address])
    case .input: return Int64(inputNumbers[min(Int(scene.input), inputNumbers.count - 1)])
    case .hour: return scene.hour ?? -1
    case .day: return scene.hour.map { ClockFace($0, in: zone).dayNumber } ?? -1
    case .hourOfDay: return scene.hour.map { ClockFace($0, in: zone).hour } ?? -1
    case .weekday: return scene.hour.map { ClockFace($0, in: zone).weekday } ?? -1
    case .answer(let field):
      guard let profile else { return -1 }
      if let column { return Int64(texts[profile][column]) }
      guard field == .status else { return -1 }
      return counts.profiles.all[profile].status.map { Int64($0.rawValue) } ?? -1
    }
  }

  private func row(_ group: Group, _ grouping: Grouping) -> CombinationTable.Row {
    let hasTime = group.hits.first <= group.hits.last
    return CombinationTable.Row(
      values: grouping.parts.map { value(of: $0, group) },
      hits: group.hits.count,
      addresses: group.addresses,
      share: SummaryTable.Row.share(group.hits.count, of: hits),
      firstSeen: hasTime ? group.hits.first.dividedDown(by: 1000) : nil,
      lastSeen: hasTime ? group.hits.last.dividedDown(by: 1000) : nil
    )
  }

  private func value(of part: Grouping.Part, _ group: Group) -> String? {
    let scene = occurrences.scenes[group.scene]
    let clock = scene.hour.map { ClockFace($0, in: zone) }
    switch part {
    case .address:
      guard group.entry >= 0 else { return nil }
      guard replacements.isEmpty else { return "\(replacements[group.entry])" }
      return counts.groupedAddresses.text(of: firsts.isEmpty ? group.entry : firsts[group.entry])
    case .input:
      return Int(scene.input) < inputs.count ? inputs[Int(scene.input)] : nil
    case .hour: return clock.map { $0.date + "T" + $0.time + $0.offset }
    case .day: return clock?.date
    case .hourOfDay: return clock.map { "\($0.hour)" }
    case .weekday: return clock.map { ClockFace.weekdays[Int($0.weekday)] }
    case .answer(let field):
      guard let profile = group.profile else { return nil }
      if field == .status { return counts.profiles.all[profile].status?.name }
      guard let column = column(of: part) else { return nil }
      let word = words[column][Int(texts[profile][column])]
      return word.isEmpty ? nil : word
    }
  }
}

extension Combinations {
  /// The questions whose answers the first rows of groupings need, all of which have the address,
  /// in the order of their numbers.
  func leading(_ groupings: [Grouping], most: Int) -> [Int] {
    var wanted = Set<Int>()
    let entries = counts.groupedAddresses.entries
    for grouping in groupings {
      let known = Grouping(grouping.parts.filter(\.isOfOccurrence))
      let groups = groups(of: known)
      var chosen = groups
      if groups.count > most {
        let least = groups.map(\.hits.count).sorted(by: >)[max(0, most - 1)]
        chosen = groups.filter { $0.hits.count >= least }
        // Ties are broken by the values in order; behind an answer the address says nothing yet.
        let place = grouping.parts.firstIndex(of: .address) ?? 0
        if grouping.parts[..<place].allSatisfy(\.isOfOccurrence) {
          let rows = chosen.map { (row: row($0, known), group: $0) }
            .sorted { CombinationTable.Row.comesBefore($0.row, $1.row) }
          chosen = rows.prefix(most).map(\.group)
        }
      }
      for group in chosen where group.entry >= 0 {
        if let question = entries[group.entry].meaning.question { wanted.insert(question) }
      }
    }
    return wanted.sorted()
  }
}

extension SummaryCounts {
  /// The questions whose answers the first rows of groupings need, each of which has the address.
  public func leading(_ groupings: [Grouping], most: Int, inputs: [String]) -> [Int] {
    Combinations(self, inputs: inputs, hits: 0)?.leading(groupings, most: most) ?? []
  }
}
