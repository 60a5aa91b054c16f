import SondeAddresses
import SondePrivacy
import SondeSystem

/// The hits of each entry by combination and time, and which entries are one row of a table of addresses.
struct ChoiceEntries {
  typealias Part = SummaryChoices.Part

  private let counts: SummaryCounts
  let addresses: AddressCounts
  /// What the address of each entry became; empty if addresses are shown.
  private let replacements: [Address]
  /// The entries, those of a row one after the other and among them those of an address.
  private var order: [UInt32] = []
  /// Where each row begins in ``order``, and its end.
  private var starts: [UInt32] = [0]
  /// For each entry the first one of its address.
  private var firsts: [UInt32]
  /// Where the hits of each entry begin in ``scenes`` and ``hits``.
  private var offsets: [UInt32]
  private var scenes: [UInt32] = []
  private var hits: [Int] = []
  private(set) var times: [ClosedRange<Int64>?] = []

  init(_ counts: SummaryCounts, _ anonymizer: Anonymizer?) {
    self.counts = counts
    addresses = counts.occurrences == nil ? counts.addresses : counts.groupedAddresses
    let entries = addresses.entries
    var replacements = anonymizer == nil ? [] : entries.map(\.address)
    anonymizer?.replace(&replacements)
    self.replacements = replacements
    firsts = entries.indices.map { UInt32($0) }
    for index in entries.indices {
      if let next = entries[index].next.index { firsts[next] = firsts[index] }
    }
    offsets = [UInt32](repeating: 0, count: entries.count + 1)
    gatherHits()
    gatherRows()
  }

  /// The number of rows.
  var count: Int { starts.count - 1 }

  /// The entries of a row.
  func entries(ofRow row: Int) -> ArraySlice<UInt32> {
    order[Int(starts[row])..<Int(starts[row + 1])]
  }

  /// The addresses of a row, each as its entries.
  func addresses(ofRow row: Int) -> [ArraySlice<UInt32>] {
    let all = entries(ofRow: row)
    guard all.count > 1 else { return [all] }
    var (found, start) = ([ArraySlice<UInt32>](), all.startIndex)
    for place in all.indices.dropFirst() where firsts[Int(all[place])] != firsts[Int(all[start])] {
      found.append(all[start..<place])
      start = place
    }
    return found + [all[start...]]
  }

  /// The text of a row.
  func key(ofRow row: Int) -> String {
    let entry = Int(order[Int(starts[row])])
    if !replacements.isEmpty { return "\(replacements[entry])" }
    return addresses.text(of: Int(firsts[entry]))
  }

  /// The hits of entries, in order and each combination and time once.
  func parts(
    of entries: ArraySlice<UInt32>,
    combination: (Int) -> Int32,
    time: (Int) -> Int32
  ) -> [Part] {
    var parts: [Part] = []
    for entry in entries {
      let number = combination(Int(entry))
      for place in Int(offsets[Int(entry)])..<Int(offsets[Int(entry) + 1]) {
        let time = time(Int(scenes[place]))
        parts.append(Part(combination: number, time: time, hits: hits[place]))
      }
    }
    return Self.merged(parts)
  }

  /// Parts in order, in which each combination and time is there once.
  static func merged(_ parts: [Part]) -> [Part] {
    guard parts.count > 1 else { return parts }
    let sorted = parts.sorted { ($0.combination, $0.time) < ($1.combination, $1.time) }
    var merged = [sorted[0]]
    for part in sorted.dropFirst() {
      let last = merged.count - 1
      if merged[last].combination == part.combination, merged[last].time == part.time {
        merged[last].hits += part.hits
      } else {
        merged.append(part)
      }
    }
    return merged
  }

  /// Brings the hits of each entry together.
  private mutating func gatherHits() {
    let entries = addresses.entries
    guard let occurrences = counts.occurrences else {
      offsets = (0...entries.count).map { UInt32($0) }
      scenes = [UInt32](repeating: 0, count: entries.count)
      hits = entries.map(\.hits)
      return
    }
    times = [ClosedRange<Int64>?](repeating: nil, count: entries.count)
    occurrences.forEach { entry, _, hits in
      offsets[entry + 1] += 1
      guard hits.first <= hits.last else { return }
      let known = times[entry]
      times[entry] =
        min(known?.lowerBound ?? .max, hits.first)...max(known?.upperBound ?? .min, hits.last)
    }
    for index in entries.indices { offsets[index + 1] += offsets[index] }
    var places = offsets
    scenes = [UInt32](repeating: 0, count: Int(offsets[entries.count]))
    hits = [Int](repeating: 0, count: scenes.count)
    occurrences.forEach { entry, scene, count in
      let place = Int(places[entry])
      (scenes[place], hits[place]) = (UInt32(scene), count.count)
      places[entry] += 1
    }
  }

  /// Brings the entries of each row together.
  private mutating func gatherRows() {
    order = firsts.indices.map { UInt32($0) }
    guard addresses.followers > 0 || !replacements.isEmpty else {
      starts = (0...order.count).map { UInt32($0) }
      return
    }
    var roots = firsts
    var known: [Address: UInt32] = [:]
    for (index, address) in replacements.enumerated() {
      roots[index] = known[address, default: UInt32(index)]
      known[address] = roots[index]
    }
    let firsts = firsts
    order.sort { left, right in
      let (one, other) = (Int(left), Int(right))
      return (roots[one], firsts[one], left) < (roots[other], firsts[other], right)
    }
    starts =
      order.indices.filter {
        $0 == 0 || roots[Int(order[$0])] != roots[Int(order[$0 - 1])]
      }.map { UInt32($0) } + [UInt32(order.count)]
  }
}
