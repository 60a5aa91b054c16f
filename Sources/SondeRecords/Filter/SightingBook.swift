package import SondeAddresses
import SondePrivacy

/// Judges occurrences in order, decides which become entries, and counts the others.
package struct SightingBook: Sendable {
  /// An occurrence of an address.
  package struct Occurrence: Sendable {
    package let address: Address
    package let zone: [UInt8]?
    /// What the text of its line contributes to the condition.
    let text: FilterFindings?
    /// The length of its packet on the wire; `nil` if it is no packet, or counted before.
    let packet: UInt64?

    package init(
      _ address: Address,
      zone: [UInt8]? = nil,
      text: FilterFindings? = nil,
      packet: UInt64? = nil
    ) {
      (self.address, self.zone, self.text, self.packet) = (address, zone, text, packet)
    }
  }

  /// The result of judging an occurrence.
  package enum Fate: Sendable {
    case entry, duplicate
    /// The condition excludes it, whatever the answer.
    case excluded
  }

  /// What a condition distinguishes of the occurrences that a record stands for.
  struct Scene {
    /// That of earlier entries of its address.
    let earlier: [FilterFindings]
    /// Its own.
    let own: FilterFindings
    /// The totals at each of the address's places.
    let totals: [(place: FilterFindings, totals: Totals)]
  }

  private struct Key: Hashable {
    let address: Address
    /// The number of its zone; 0 for none.
    let zone: UInt32
  }

  /// The places of an address that have become entries.
  private struct Chain: Hashable {
    var kinds: [UInt32] = []
    /// Whether the last one stays whatever the answer, so that no other is needed.
    var isSettled = false
  }

  private let rules: Sightings.Rules
  /// The numbers of addresses, from 1.
  private var subjects: [Key: UInt32] = [:]
  private var zones: [[UInt8]: UInt32] = [:]
  /// The totals by subject, unless a condition distinguishes occurrences.
  private var plain: [Totals] = []
  /// The totals by subject and kind of place.
  private var divided: [[(kind: UInt32, totals: Totals)]] = []
  /// The chain of each subject, by number.
  private var latest: [UInt32] = []
  private var chains = NumberedValues<Chain>()
  private var kinds = NumberedValues<FilterFindings>()
  private var texts: [UInt32: [UInt8]] = [:]
  private var textCount: UInt32 = 0

  init(_ rules: Sightings.Rules) { self.rules = rules }

  /// Whether occurrences of the same address are distinguished.
  private var judges: Bool { rules.filter != nil }

  /// Judges the next occurrence, and adds to the place of an entry what its record needs.
  ///
  /// `line` returns the text to keep.
  package mutating func take(
    _ occurrence: Occurrence,
    at place: inout Place,
    line: () -> [UInt8]?
  ) -> Fate {
    let (subject, isNew) = number(of: occurrence)
    var fate = isNew || rules.keepsDuplicates ? Fate.entry : .duplicate
    if let filter = rules.filter {
      fate = judge(occurrence, filter, subject, &place)
    } else if rules.countsTotals {
      plain[Int(subject) - 1].add(occurrence, at: place.time)
    }
    guard fate == .entry else { return fate }
    place.subject = subject
    if rules.keepsTexts, let line = line() { place.text = keep(line) }
    return .entry
  }

  private mutating func judge(
    _ occurrence: Occurrence,
    _ filter: Filter,
    _ subject: UInt32,
    _ place: inout Place
  ) -> Fate {
    let address = rules.pseudonyms?.address(of: occurrence.address) ?? occurrence.address
    var record = Record(address: address, status: .ok)
    record.place = place
    record[.item] = TextRange(offset: 0, count: UInt32(occurrence.zone?.count ?? 0))
    let bytes = occurrence.zone ?? []
    let found = filter.findings(ofPlace: record, text: occurrence.text)
    let entry = filter.findings(ofEntry: record, bytes: bytes.span)
    let verdict = filter.verdict(of: entry, at: found)
    guard verdict != .no else { return .excluded }
    let kind = kinds.number(of: found)
    if rules.countsTotals { count(occurrence, at: place.time, subject, kind) }
    let index = Int(subject) - 1
    var chain = rules.keepsDuplicates ? Chain() : chains[latest[index]]
    guard !chain.isSettled, !chain.kinds.contains(kind) else { return .duplicate }
    chain.kinds.append(kind)
    chain.isSettled = verdict == .yes
    let number = chains.number(of: chain)
    latest[index] = number
    place.scene = number
    return .entry
  }

  private mutating func count(
    _ occurrence: Occurrence,
    at time: Int64?,
    _ subject: UInt32,
    _ kind: UInt32
  ) {
    let index = Int(subject) - 1
    if let known = divided[index].firstIndex(where: { $0.kind == kind }) {
      divided[index][known].totals.add(occurrence, at: time)
    } else {
      var totals = Totals()
      totals.add(occurrence, at: time)
      divided[index].append((kind, totals))
    }
  }

  /// The number of an address, and whether it is new.
  private mutating func number(of occurrence: Occurrence) -> (UInt32, isNew: Bool) {
    var zone: UInt32 = 0
    if let text = occurrence.zone {
      zone = zones[text] ?? UInt32(zones.count + 1)
      zones[text] = zone
    }
    return number(of: Key(address: occurrence.address, zone: zone))
  }

  private mutating func number(of key: Key) -> (UInt32, isNew: Bool) {
    if let known = subjects[key] { return (known, false) }
    let number = UInt32(subjects.count + 1)
    subjects[key] = number
    if judges {
      if latest.isEmpty { _ = chains.number(of: Chain()) }
      latest.append(0)
      if rules.countsTotals { divided.append([]) }
    } else if rules.countsTotals {
      plain.append(Totals())
    }
    return (number, true)
  }

  mutating func countPacket(_ address: Address, bytes: UInt64, at time: Int64) {
    let (subject, _) = number(of: Key(address: address, zone: 0))
    plain[Int(subject) - 1].addPacket(bytes, at: time)
  }

  /// Keeps the text of an invalid item's line; its number is in the place.
  package mutating func keep(_ line: [UInt8]) -> UInt32 {
    textCount += 1
    texts[textCount] = line
    return textCount
  }
}

// MARK: - Records

extension SightingBook {
  func totals(of record: Record) -> Totals? {
    guard rules.countsTotals else { return nil }
    var subject = record.place.subject
    if subject == 0, let address = record.original ?? record.address {
      subject = subjects[Key(address: address, zone: 0)] ?? 0
    }
    guard subject > 0 else { return nil }
    guard judges else { return plain[Int(subject) - 1] }
    var sum = Totals()
    for part in divided[Int(subject) - 1] { sum += part.totals }
    return sum
  }

  func scene(of place: Place) -> Scene {
    let chain = chains[place.scene].kinds
    let parts = rules.countsTotals && place.subject > 0 ? divided[Int(place.subject) - 1] : []
    return Scene(
      earlier: chain.dropLast().map { kinds[$0] },
      own: kinds[chain[chain.count - 1]],
      totals: parts.map { (kinds[$0.kind], $0.totals) }
    )
  }

  func text(_ number: UInt32) -> [UInt8] { texts[number] ?? [] }

  mutating func removeText(_ number: UInt32) { texts[number] = nil }
}

extension Totals {
  @inline(__always)
  fileprivate mutating func add(_ occurrence: SightingBook.Occurrence, at time: Int64?) {
    add(at: time, packet: occurrence.packet)
  }
}

/// Values numbered in order of insertion.
private struct NumberedValues<Value: Hashable & Sendable>: Sendable {
  private var all: [Value] = []
  private var numbers: [Value: UInt32] = [:]

  subscript(number: UInt32) -> Value { all[Int(number)] }

  mutating func number(of value: Value) -> UInt32 {
    if let known = numbers[value] { return known }
    let number = UInt32(all.count)
    numbers[value] = number
    all.append(value)
    return number
  }
}
