import SondeAddresses
import SondeProviders
import SondeSystem
import SondeTables

/// The queues of addresses for registries, with the batches that wait for them: a pure value.
///
/// The addresses of a lane (``OwnerReuse/lane(of:)``) are asked about one by one, because an answer
/// may apply to the next one; a registry's lanes are served in the order of their addresses. A
/// batch is finished when all its lanes are.
struct OwnerLanes: Sendable {
  typealias Match = KnownOwners.Match

  /// The registry to ask about an address.
  enum Place: Sendable {
    case registry(Registry)
    /// IANA lists none.
    case nowhere
    /// It cannot be determined, with the answer used instead.
    case closed(Match)
  }

  /// The current question of a lane.
  struct Question: Sendable {
    let lane: Prefix
    let address: Address
    /// The turn of the batch that waits for it; the earliest is served first.
    let turn: UInt64
    /// The registry that earlier redirects led to, if any.
    let route: RegistryRoute?
  }

  /// The result of a question.
  enum Outcome: Sendable {
    /// It is answered, and the answer is recorded.
    case answered
    /// It is unanswered, with the answer used instead.
    case failed(Match)
    /// Another registry must be asked.
    case moved(RegistryRoute)
    /// It was not finished.
    case cancelled
  }

  /// The addresses of a lane that a batch waits for, which are consecutive there.
  struct Wish {
    let batch: UInt64
    let turn: UInt64
    let addresses: Range<Int32>
  }

  /// Many thousands wait at once, mostly with one wish, so rare data is stored elsewhere.
  struct Lane {
    enum Stage { case idle, queued, asked }
    var first: Wish
    var later: [Wish] = []
    /// The number of addresses of the first wish with a result.
    var position: Int32 = 0
    var stage = Stage.idle
  }

  struct Batch {
    /// The addresses, grouped by lane.
    var addresses: [Address] = []
    /// The number of unfinished lanes.
    var lanes = 0
    var failures: [Prefix: Match] = [:]
    /// Whether an address was left unanswered because asking has stopped.
    var isCutOff = false
  }

  struct Turn {
    let turn: UInt64
    let lane: Prefix
  }

  /// Owners known so far.
  var known: KnownOwners
  let reuse: OwnerReuse
  let place: @Sendable (Address) -> Place
  var lanes: [Prefix: Lane] = [:]
  /// The redirects followed by each lane's current question.
  var routes: [Prefix: RegistryRoute] = [:]
  /// The unanswered blocks of each lane, which are not requested again by waiting batches.
  var failures: [Prefix: [Prefix: Match]] = [:]
  var queues: [Registry: ArraySlice<Turn>] = [:]
  /// The number of workers per registry.
  var workers: [Registry: Int] = [:]
  var batches: [UInt64: Batch] = [:]
  var lastBatch: UInt64 = 0
  var lastTurn: UInt64 = 0
  var isStopped = false
  var finished: [UInt64] = []

  /// Creates lanes without batches; `place` returns the registry to ask about an address.
  init(reuse: OwnerReuse, place: @escaping @Sendable (Address) -> Place) {
    (self.reuse, self.place, known) = (reuse, place, KnownOwners(reuse: reuse))
  }
}

// MARK: - Batches

extension OwnerLanes {
  var isIdle: Bool { batches.isEmpty }

  /// Enters a batch of one address or more, after earlier ones, and returns its number.
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

  /// Starts asking about a batch's unknown addresses, in order.
  mutating func begin(_ addresses: [Address]) {
    for address in addresses {
      let lane = reuse.lane(of: address)
      if lanes[lane]?.stage == .idle { advance(lane) }
    }
  }

  /// Removes and returns the batches finished since the last call.
  mutating func takeFinished() -> [UInt64] {
    defer { finished = [] }
    return finished
  }

  /// Removes a batch's result: an owner per address; `nil` if asking stopped before some of them.
  mutating func result(of number: UInt64, _ addresses: [Address]) -> [Match]? {
    guard let batch = batches.removeValue(forKey: number), !batch.isCutOff else { return nil }
    return addresses.map { address in
      known.match(address) ?? batch.failures[reuse.block(of: address)] ?? .unknown
    }
  }

  /// Removes a batch that is no longer waited for.
  mutating func abandon(_ number: UInt64) { batches[number] = nil }

  /// Stops asking: batches that need more than the running questions are cut off.
  mutating func stop() {
    (isStopped, queues) = (true, [:])
    for lane in Array(lanes.keys) where lanes[lane]?.stage != .asked { advance(lane) }
  }
}

extension [Address] {
  /// The addresses grouped by lane, in the order in which the lanes appear.
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
