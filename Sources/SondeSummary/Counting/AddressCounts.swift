public import SondeAddresses
public import SondeRecords

/// The number of occurrences of each address, in logs or records.
///
/// It uses open addressing over a list of entries of 32 bytes; with its slot an address takes some
/// 50 bytes. An entry belongs to the occurrences in logs, for which there is a question, or to
/// records with equal information; nearly every address has one.
public struct AddressCounts: Sendable {
  /// The counts of an address.
  struct Entry: Sendable {
    let address: Address
    var hits: Int
    let meaning: Meaning
    /// The next entry of the same address, if there is one.
    var next: Link

    init(_ address: Address, _ meaning: Meaning, hits: Int = 1) {
      (self.address, self.meaning, self.hits, next) = (address, meaning, hits, .none)
    }
  }

  /// The number of a question, or a profile in records.
  struct Meaning: Sendable, Equatable {
    private static let questionBit: UInt32 = 1 << 31
    private let bits: UInt32

    static func question(_ number: Int) -> Meaning {
      Meaning(bits: UInt32(truncatingIfNeeded: number) | questionBit)
    }
    static func profile(_ profile: Profiles.ID) -> Meaning { Meaning(bits: profile.number) }

    private init(bits: UInt32) { self.bits = bits }

    var question: Int? {
      bits & Self.questionBit == 0 ? nil : Int(bits & ~Self.questionBit)
    }
    var profile: Profiles.ID? {
      bits & Self.questionBit == 0 ? Profiles.ID(number: bits) : nil
    }
  }

  /// The index of an entry, or none.
  struct Link: Sendable {
    private let bits: UInt32
    static let none = Link(bits: 0)

    private init(bits: UInt32) { self.bits = bits }
    init(to index: Int) { bits = UInt32(truncatingIfNeeded: index) + 1 }
    var index: Int? { bits == 0 ? nil : Int(bits) - 1 }
  }

  var entries: [Entry] = []
  /// The number of entries that are not the first one of their address.
  var followers = 0
  /// The number of questions, one per address in logs and period of its answers.
  public internal(set) var questions = 0
  /// The periods of questions, by number; empty if answers depend on no time.
  var periods: [BuildPeriod] = []
  /// The number of records without an address, by profile.
  var unaddressed: [Profiles.ID: Int] = [:]
  /// The zones of link-local addresses (RFC 4007), by the indices of their first entries.
  var zones: [Int: [UInt8]] = [:]
  /// The first entries of addresses with a zone, which are rare.
  private var zoned: [[UInt8]: Int] = [:]
  private var slots = SlotIndex()
  private let key = AddressHash()

  /// Creates empty counts.
  public init() {}

  /// The number of distinct addresses, including their zones.
  public var distinct: Int { entries.count - followers }

  /// The text of an address with its zone, by the number of its first entry.
  func text(of first: Int) -> String {
    let address = entries[first].address.description
    guard let zone = zones[first] else { return address }
    return address + "%" + String(decoding: zone, as: UTF8.self)
  }

  /// The numbers of the existing questions.
  public var questionNumbers: some Sequence<Int> { entries.lazy.compactMap(\.meaning.question) }

  /// The number of occurrences in logs.
  public var occurrences: Int {
    entries.reduce(0) { $0 + ($1.meaning.question == nil ? 0 : $1.hits) }
  }

  // MARK: - Logs

  /// Counts up to `DistinctSet.blockSize` occurrences in a log.
  ///
  /// Returns one bit per address, the lowest for the first: whether it caused a new question.
  public mutating func count(_ addresses: Span<Address>) -> UInt64 {
    var entries = InlineArray<64, UInt32>(repeating: 0)
    return count(addresses, noting: &entries)
  }

  /// Counts up to `DistinctSet.blockSize` occurrences in a log, and notes the entry of each.
  ///
  /// Returns one bit per address, the lowest for the first: whether it caused a new question.
  public mutating func count(
    _ addresses: Span<Address>,
    noting places: inout InlineArray<64, UInt32>
  ) -> UInt64 {
    precondition(addresses.count <= DistinctSet.blockSize, "more addresses than bits")
    // Requests the memory of all addresses before waiting for the first.
    var hashes = InlineArray<64, UInt32>(repeating: 0)
    var guesses = InlineArray<64, UInt32>(repeating: 0)
    for index in addresses.indices {
      hashes[index] = UInt32(truncatingIfNeeded: key.hash(of: addresses[index]))
      guesses[index] = slots.guess(hashes[index])
    }
    var new: UInt64 = 0
    for index in addresses.indices {
      if guesses[index] > 0 {
        let entry = Int(guesses[index]) &- 1
        if entries[entry].address == addresses[index], entries[entry].meaning.question != nil {
          entries[entry].hits &+= 1
          places[index] = UInt32(truncatingIfNeeded: entry)
          continue
        }
      }
      let first = first(of: addresses[index], hash: hashes[index])
      let (entry, isNew) = countQuestion(addresses[index], first)
      places[index] = UInt32(truncatingIfNeeded: entry)
      if isNew { new |= 1 << UInt64(index) }
    }
    return new
  }

  /// Counts an occurrence of an address with a zone; returns its entry, and whether it caused a new
  /// question.
  public mutating func count(_ address: Address, zone: [UInt8]) -> (entry: Int, isNew: Bool) {
    countQuestion(address, first(of: address, zone: zone))
  }

  private mutating func countQuestion(
    _ address: Address,
    _ first: Place
  ) -> (entry: Int, isNew: Bool) {
    if case .old(let index) = first, let known = find(from: index, where: { $0.question != nil }) {
      entries[known].hits += 1
      return (known, false)
    }
    addQuestion(Entry(address, .question(questions)), first)
    return (entries.count - 1, true)
  }

  private mutating func addQuestion(_ entry: Entry, _ first: Place) {
    switch first {
    case .new: entries.append(entry)
    case .old(let index): append(entry, behind: index)
    }
    questions += 1
  }

  // MARK: - Logs whose hits are counted later

  /// A question about an address.
  public struct Question: Sendable {
    /// Its number.
    public let number: Int
    let entry: Int
  }

  /// Finds the question about an address in logs; `nil` if there is none in this period.
  public func question(
    about address: Address,
    zone: [UInt8]?,
    in period: BuildPeriod = .undated
  ) -> Question? {
    let first =
      if let zone {
        zoned[Self.name(of: address, zone)]
      } else {
        slots.find(UInt32(truncatingIfNeeded: key.hash(of: address))) {
          entries[$0].address == address
        }
      }
    let entry = first.flatMap { first in
      find(from: first) { $0.question.map { self.period(of: $0) == period } ?? false }
    }
    return entry.flatMap { entry in
      entries[entry].meaning.question.map { Question(number: $0, entry: entry) }
    }
  }

  /// The period of a question's answer.
  public func period(of question: Int) -> BuildPeriod {
    question < periods.count ? periods[question] : .undated
  }

  /// Creates a question without a hit; the address must not have one yet in this period.
  public mutating func ask(
    about address: Address,
    zone: [UInt8]?,
    in period: BuildPeriod = .undated
  ) -> Question {
    if period != .undated {
      periods += repeatElement(.undated, count: questions - periods.count)
      periods.append(period)
    }
    let hash = UInt32(truncatingIfNeeded: key.hash(of: address))
    let place = zone.map { first(of: address, zone: $0) } ?? first(of: address, hash: hash)
    addQuestion(Entry(address, .question(questions), hits: 0), place)
    return Question(number: questions - 1, entry: entries.count - 1)
  }

  /// Counts hits of a question's address.
  public mutating func count(_ hits: Int, of question: Question) {
    entries[question.entry].hits += hits
  }

  // MARK: - Records

  /// Counts a record of a profile; the address is `nil` and the zone empty if there is none.
  ///
  /// Returns the number of its entry; `nil` without an address.
  @discardableResult
  public mutating func count(
    _ address: Address?,
    zone: [UInt8] = [],
    as profile: Profiles.ID,
    hits: Int = 1
  ) -> Int? {
    guard let address else {
      unaddressed[profile, default: 0] += hits
      return nil
    }
    let hash = UInt32(truncatingIfNeeded: key.hash(of: address))
    let first = zone.isEmpty ? first(of: address, hash: hash) : first(of: address, zone: zone)
    switch first {
    case .new: entries.append(Entry(address, .profile(profile), hits: hits))
    case .old(let index):
      if let known = find(from: index, where: { $0.profile == profile }) {
        entries[known].hits += hits
        return known
      }
      append(Entry(address, .profile(profile), hits: hits), behind: index)
    }
    return entries.count - 1
  }

  // MARK: - Entries

  /// The position of an address's first entry.
  private enum Place {
    case old(Int)
    /// A new entry at the end.
    case new
  }

  private mutating func first(of address: Address, hash: UInt32) -> Place {
    let known = slots.find(hash, orInsert: entries.count) { entries[$0].address == address }
    return known.map { .old($0) } ?? .new
  }

  private mutating func first(of address: Address, zone: [UInt8]) -> Place {
    let name = Self.name(of: address, zone)
    if let known = zoned[name] { return .old(known) }
    zoned[name] = entries.count
    zones[entries.count] = zone
    return .new
  }

  private static func name(of address: Address, _ zone: [UInt8]) -> [UInt8] {
    var name: [UInt8] = []
    address.append(to: &name)
    return name + [UInt8(ascii: "%")] + zone
  }

  private func find(from start: Int, where isWanted: (Meaning) -> Bool) -> Int? {
    var index: Int? = start
    while let current = index {
      if isWanted(entries[current].meaning) { return current }
      index = entries[current].next.index
    }
    return nil
  }

  private mutating func append(_ entry: Entry, behind first: Int) {
    // At the end, so that links always lead to later entries.
    var last = first
    while let next = entries[last].next.index { last = next }
    entries[last].next = Link(to: entries.count)
    entries.append(entry)
    followers += 1
  }
}
