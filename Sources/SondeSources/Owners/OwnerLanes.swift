import SondeAddresses
import SondeProviders
import SondeTables

/// Which addresses wait for which registry, in which order, and for which batches: a pure value.
///
/// The addresses of a lane (``OwnerReuse/lane(of:)``) are asked about one after the other, because the
/// answer to one may hold for the next; a registry's lanes are asked about in the order of the addresses
/// that are to be. A batch is at its end when all its lanes are.
struct OwnerLanes: Sendable {
  typealias Match = KnownOwners.Match

  /// Who is to be asked about an address.
  enum Place: Sendable {
    case registry(Registry)
    /// Not even IANA knows of anybody.
    case nowhere
    /// It cannot be found out, and what is known instead.
    case closed(Match)
  }

  /// The question that a lane is at.
  struct Question: Sendable {
    let lane: Prefix
    let address: Address
    /// Who wants it: the earlier one goes first.
    let turn: UInt64
    /// Where redirects have led until now, if anywhere.
    let route: RegistryRoute?
  }

  /// What came of a question.
  enum Outcome: Sendable {
    /// There is an answer, which was noted.
    case answered
    /// There is none, and what is known instead.
    case failed(Match)
    /// Another registry is to be asked.
    case moved(RegistryRoute)
    /// It was not asked to its end.
    case cancelled
  }

  /// What a batch wants of a lane: some of its addresses, which follow one another there.
  struct Wish {
    let batch: UInt64
    let turn: UInt64
    let addresses: Range<Int32>
  }

  /// Many thousands wait at once, most of them with one wish: what is rare stands elsewhere.
  struct Lane {
    enum Stage { case idle, queued, asked }
    var first: Wish
    var later: [Wish] = []
    /// How many of the addresses of the first wish have an outcome.
    var position: Int32 = 0
    var stage = Stage.idle
  }

  struct Batch {
    /// Those of each lane behind one another.
    var addresses: [Address] = []
    /// The lanes that have not come to their ends.
    var lanes = 0
    var failures: [Prefix: Match] = [:]
    /// Whether an address was left because nobody is asked any more.
    var isCutOff = false
  }

  struct Turn {
    let turn: UInt64
    let lane: Prefix
  }

  /// What is known; it grows with the answers.
  var known: KnownOwners
  let reuse: OwnerReuse
  let place: @Sendable (Address) -> Place
  var lanes: [Prefix: Lane] = [:]
  /// Where redirects have led the question that a lane is at.
  var routes: [Prefix: RegistryRoute] = [:]
  /// What nobody answered in a lane, by the block: who waits there does not ask for it again.
  var failures: [Prefix: [Prefix: Match]] = [:]
  var queues: [Registry: ArraySlice<Turn>] = [:]
  /// How many are at work for each registry.
  var workers: [Registry: Int] = [:]
  var batches: [UInt64: Batch] = [:]
  var lastBatch: UInt64 = 0
  var lastTurn: UInt64 = 0
  var isStopped = false
  var finished: [UInt64] = []

  /// Makes lanes that nobody waits in.
  ///
  /// - Parameters:
  ///   - reuse: How far an answer holds.
  ///   - place: Says who is to be asked about an address.
  init(reuse: OwnerReuse, place: @escaping @Sendable (Address) -> Place) {
    (self.reuse, self.place, known) = (reuse, place, KnownOwners(reuse: reuse))
  }
}

// MARK: - Batches

extension OwnerLanes {
  /// Whether no batch waits.
  var isIdle: Bool { batches.isEmpty }

  /// Takes the places of a batch in the lanes of its addresses, behind those of earlier ones.
  ///
  /// - Parameter addresses: The addresses; at least one.
  /// - Returns: The number of the batch.
  mutating func enter(_ addresses: [Address]) -> UInt64 {
    lastBatch += 1
    var batch = Batch()
    batch.addresses.reserveCapacity(addresses.count)
    for (lane, wanted) in addresses.grouped(by: reuse.lane) {
      lastTurn += 1
      let start = Int32(batch.addresses.count)
      batch.addresses += wanted
      let wish = Wish(
        batch: lastBatch,
        turn: lastTurn,
        addresses: start..<Int32(batch.addresses.count)
      )
      if lanes[lane] == nil {
        lanes[lane] = Lane(first: wish)
      } else {
        lanes[lane]?.later.append(wish)
      }
      batch.lanes += 1
    }
    batches[lastBatch] = batch
    return lastBatch
  }

  /// Has a batch asked about, as far as it is not known by now, the first address first.
  mutating func begin(_ addresses: [Address]) {
    for address in addresses {
      let lane = reuse.lane(of: address)
      if lanes[lane]?.stage == .idle { advance(lane) }
    }
  }

  /// The batches that have come to their ends since this was asked last.
  mutating func takeFinished() -> [UInt64] {
    defer { finished = [] }
    return finished
  }

  /// What came of a batch, which is forgotten then.
  ///
  /// - Returns: An owner for each address; `nil` where some were not asked about any more.
  mutating func result(of number: UInt64, _ addresses: [Address]) -> [Match]? {
    guard let batch = batches.removeValue(forKey: number), !batch.isCutOff else { return nil }
    return addresses.map { address in
      known.match(address) ?? batch.failures[reuse.block(of: address)] ?? .unknown
    }
  }

  /// Forgets a batch that nobody waits for any more.
  mutating func abandon(_ number: UInt64) { batches[number] = nil }

  /// Has nothing more asked: who waits for more than the questions under way is cut off.
  mutating func stop() {
    (isStopped, queues) = (true, [:])
    for lane in Array(lanes.keys) where lanes[lane]?.stage != .asked { advance(lane) }
  }
}

extension [Address] {
  /// The addresses of each lane together, in the order in which the lanes appear.
  fileprivate func grouped(by lane: (Address) -> Prefix) -> [(lane: Prefix, addresses: [Address])] {
    var groups: [(lane: Prefix, addresses: [Address])] = []
    var places: [Prefix: Int] = [:]
    for address in self {
      let lane = lane(address)
      if let place = places[lane] {
        groups[place].addresses.append(address)
      } else {
        places[lane] = groups.count
        groups.append((lane, [address]))
      }
    }
    return groups
  }
}
