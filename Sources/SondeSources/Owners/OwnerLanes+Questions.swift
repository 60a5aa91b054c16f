import SondeAddresses
import SondeProviders
import SondeTables

extension OwnerLanes {
  /// The registries of the workers to start for queued lanes, with at most `most` running for each.
  mutating func hire(upTo most: Int) -> [Registry] {
    var hired: [Registry] = []
    for (registry, queue) in queues {
      let count = workers[registry, default: 0]
      let wanted = max(0, min(queue.count, most - count))
      workers[registry] = count + wanted
      hired += repeatElement(registry, count: wanted)
    }
    return hired
  }

  /// The next question for a registry; `nil` ends the worker.
  mutating func next(for registry: Registry) -> Question? {
    while let first = queues[registry]?.popFirst() {
      guard let (turn, owner, address) = settle(first.lane) else { continue }
      // Another address of the lane may belong to another registry.
      guard owner == registry else {
        queue(first.lane, turn, owner)
        continue
      }
      lanes[first.lane]?.stage = .asked
      return Question(lane: first.lane, address: address, turn: turn, route: routes[first.lane])
    }
    queues[registry] = nil
    workers[registry, default: 1] -= 1
    return nil
  }

  /// Whether a batch still waits for the answer.
  func isWanted(_ question: Question) -> Bool {
    guard let lane = lanes[question.lane] else { return false }
    return ([lane.first] + lane.later).contains { batches[$0.batch] != nil }
  }

  /// Applies the result of a question.
  mutating func take(_ outcome: Outcome, of question: Question) {
    let lane = question.lane
    routes[lane] = nil
    switch outcome {
    case .answered, .cancelled: break
    case .failed(let match): failures[lane, default: [:]][reuse.block(of: question.address)] = match
    case .moved(let route): routes[lane] = route
    }
    advance(lane)
  }

  /// Settles the known addresses of a lane, and queues it if there are more.
  mutating func advance(_ prefix: Prefix) {
    if let (turn, registry, _) = settle(prefix) { queue(prefix, turn, registry) }
  }

  private mutating func queue(_ prefix: Prefix, _ turn: UInt64, _ registry: Registry) {
    lanes[prefix]?.stage = .queued
    var queue = queues.removeValue(forKey: registry) ?? []
    queue.insert(Turn(turn: turn, lane: prefix), at: queue.end(of: turn))
    queues[registry] = queue
  }

  /// Skips the addresses of a lane that have a result; an empty lane is removed.
  ///
  /// - Returns: The first address without a result, the registry to ask, and its turn.
  private mutating func settle(
    _ prefix: Prefix
  ) -> (turn: UInt64, registry: Registry, address: Address)? {
    // Removed, so that nothing is copied.
    guard var lane = lanes.removeValue(forKey: prefix) else { return nil }
    lane.stage = .idle
    while true {
      let wish = lane.first
      if let (registry, address) = settle(wish, prefix, &lane.position) {
        lanes[prefix] = lane
        return (wish.turn, registry, address)
      }
      end(wish.batch)
      guard let next = lane.later.first else { break }
      lane.later.removeFirst()
      (lane.first, lane.position) = (next, 0)
    }
    failures[prefix] = nil
    return nil
  }

  /// Skips the addresses of a wish that have a result, or that no batch waits for.
  private mutating func settle(
    _ wish: Wish,
    _ lane: Prefix,
    _ position: inout Int32
  ) -> (Registry, Address)? {
    while let batch = batches[wish.batch], Int(position) < wish.addresses.count {
      let address = batch.addresses[Int(wish.addresses.lowerBound + position)]
      if let registry = registry(of: address, wish.batch, lane) { return (registry, address) }
      position += 1
      routes[lane] = nil
    }
    routes[lane] = nil
    return nil
  }

  /// The registry to ask about an address; `nil` if it has a result.
  private mutating func registry(
    of address: Address,
    _ batch: UInt64,
    _ lane: Prefix
  ) -> Registry? {
    if known.match(address) != nil { return nil }
    let block = reuse.block(of: address)
    if failures[lane]?[block] == nil {
      guard !isStopped else {
        batches[batch]?.isCutOff = true
        return nil
      }
      if let route = routes[lane] { return route.registry }
      switch place(address) {
      case .registry(let registry): return registry
      case .nowhere: return nil
      case .closed(let match): failures[lane, default: [:]][block] = match
      }
    }
    batches[batch]?.failures[block] = failures[lane]?[block]
    return nil
  }

  private mutating func end(_ number: UInt64) {
    guard let left = batches[number]?.lanes else { return }
    batches[number]?.lanes = left - 1
    if left == 1 { finished.append(number) }
  }
}

extension ArraySlice<OwnerLanes.Turn> {
  /// The position after all wishes of a turn, before all later ones.
  fileprivate func end(of turn: UInt64) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].turn <= turn { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
