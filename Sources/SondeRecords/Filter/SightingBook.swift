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
    /// What the answer of its day contributes; `nil` if answers do not depend on days.
    let answer: FilterFindings?
    /// The length of its packet on the wire; `nil` if it is no packet, or counted before.
    let packet: UInt64?

    package init(
      _ address: Address,
      zone: [UInt8]? = nil,
      text: FilterFindings? = nil,
      answer: FilterFindings? = nil,
      packet: UInt64? = nil
    ) {
      (self.address, self.zone, self.text, self.packet) = (address, zone, text, packet)
      self.answer = answer
    }
  }

  /// The result of judging an occurrence.
  package enum Fate: Sendable {
    case entry, duplicate
    /// The condition excludes it, whatever the answer.
    case excluded
  }

  /// What a condition distinguishes of an occurrence.
  struct Sight: Hashable, Sendable {
    let place: FilterFindings
    let answer: FilterFindings?
  }

  /// What a condition distinguishes of the occurrences that a record stands for.
  struct Scene {
    /// That of earlier entries of its address.
    let earlier: [Sight]
    /// Its own.
    let own: Sight
    /// The totals of each kind of the address's occurrences.
    let totals: [(sight: Sight, totals: Totals)]
  }

  /// An address, with its totals unless a condition distinguishes occurrences.
  private struct Subject {
    let address: Address
    var totals = Totals()
  }

  /// An address with a zone, which is rare.
  private struct Zoned: Hashable {
    let address: Address
    let zone: [UInt8]
  }

  /// The occurrences of an address that have become entries.
  private struct Chain: Hashable {
    var kinds: [UInt32] = []
    /// Whether the last one stays whatever the answer, so that no other is needed.
    var isSettled = false
  }

  private let rules: Sightings.Rules
  /// The addresses; their numbers are from 1.
  private var subjects: [Subject] = []
  /// Finds those without a zone.
  private var slots = SlotIndex()
  private let key = AddressHash()
  /// The indices of those with a zone.
  private var zoned: [Zoned: Int] = [:]
  /// The totals by subject and kind of occurrence.
  private var divided: [[(kind: UInt32, totals: Totals)]] = []
  /// The chain of each subject, by number.
  private var latest: [UInt32] = []
  private var chains = NumberedValues<Chain>()
  private var kinds = NumberedValues<Sight>()
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
      subjects[Int(subject) - 1].totals.add(occurrence, at: place.time)
    }
    guard fate == .entry else { return fate }
    place.subject = subject
    if rules.keepsTexts, let line = line() { place.text = keep(line) }
    return .entry
  }

  /// Counts up to `DistinctSet.blockSize` occurrences of addresses without a zone, if only totals
  /// are needed; `times` are those of their lines in milliseconds since 1970 UTC, or empty.
  ///
  /// Returns one bit for each, the lowest for the first: whether it is an entry. The numbers of
  /// entries follow each other from ``nextSubject``.
  package mutating func count(_ addresses: Span<Address>, at times: Span<Int64?>) -> UInt64 {
    // Requests the memory of all addresses before waiting for the first.
    var hashes = InlineArray<64, UInt32>(repeating: 0)
    var guesses = InlineArray<64, UInt32>(repeating: 0)
    for index in addresses.indices {
      hashes[index] = hash(of: addresses[index])
      guesses[index] = slots.guess(hashes[index])
    }
    var new: UInt64 = 0
    for index in addresses.indices {
      let time = times.isEmpty ? nil : times[index]
      let guess = Int(guesses[index]) &- 1
      if guess >= 0, subjects[guess].address == addresses[index] {
        subjects[guess].totals.add(at: time)
        continue
      }
      let (subject, isNew) = number(of: addresses[index])
      subjects[Int(subject) - 1].totals.add(at: time)
      if isNew { new |= 1 << UInt64(truncatingIfNeeded: index) }
    }
    return new
  }

  /// The number of the next new address, for the places of entries.
  package var nextSubject: UInt32 { UInt32(subjects.count + 1) }

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
    let sight = Sight(place: found, answer: occurrence.answer)
    let verdict = filter.verdict(of: entry, at: sight)
    guard verdict != .no else { return .excluded }
    let kind = kinds.number(of: sight)
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
    guard let zone = occurrence.zone else { return number(of: occurrence.address) }
    let name = Zoned(address: occurrence.address, zone: zone)
    if let known = zoned[name] { return (UInt32(known + 1), false) }
    zoned[name] = subjects.count
    return (append(occurrence.address), true)
  }

  /// The number of an address without a zone, and whether it is new.
  private mutating func number(of address: Address) -> (UInt32, isNew: Bool) {
    let known = slots.find(hash(of: address), orInsert: subjects.count) {
      subjects[$0].address == address
    }
    return known.map { (UInt32($0 + 1), false) } ?? (append(address), true)
  }

  @inline(__always)
  private func hash(of address: Address) -> UInt32 {
    UInt32(truncatingIfNeeded: key.hash(of: address))
  }

  private mutating func append(_ address: Address) -> UInt32 {
    subjects.append(Subject(address: address))
    if judges {
      if latest.isEmpty { _ = chains.number(of: Chain()) }
      latest.append(0)
      if rules.countsTotals { divided.append([]) }
    }
    return UInt32(subjects.count)
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
    var subject = record.place.subject
    if subject == 0, let address = record.address {
      let known = slots.find(hash(of: address)) { subjects[$0].address == address }
      subject = known.map { UInt32($0 + 1) } ?? 0
    }
    guard subject > 0 else { return nil }
    guard judges else { return subjects[Int(subject) - 1].totals }
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
    add(at: time)
    if let length = occurrence.packet { addPacket(length, at: time) }
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
