import SondeAddresses

/// The addresses that a web service is asked about, with those who wait for them: a pure value.
///
/// A few workers take them in the order of their arrival; an address is asked about once for all
/// who wait.
struct ServiceDesk<Waiter>: Sendable where Waiter: Sendable {
  /// An address that is queued or asked about.
  private struct Place {
    let turn: UInt64
    var waiters: [UInt64: Waiter] = [:]
  }

  private let width: Int
  private var places: [Address: Place] = [:]
  /// In the order of their turns.
  private var queue: [(turn: UInt64, address: Address)] = []
  private var head = 0
  private var workers = 0
  private var lastNumber: UInt64 = 0
  private(set) var isStopped = false

  /// Creates a desk with at most so many workers.
  init(width: Int) { self.width = max(1, width) }

  /// A number for one who waits, which is also the turn of its address: earlier ones are asked
  /// about first.
  mutating func newNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Adds one who waits for an address; returns whether anything is still asked.
  mutating func enter(_ address: Address, _ number: UInt64, _ waiter: Waiter) -> Bool {
    guard !isStopped else { return false }
    if places[address] == nil {
      places[address] = Place(turn: number)
      // Nearly always at the end.
      let later = queue[head...].reversed().prefix { $0.turn > number }.count
      queue.insert((number, address), at: queue.count - later)
    }
    places[address]?.waiters[number] = waiter
    return true
  }

  /// Removes one who waits no more; returns it, unless it was answered.
  mutating func leave(_ address: Address, _ number: UInt64) -> Waiter? {
    places[address]?.waiters.removeValue(forKey: number)
  }

  /// Hires the workers that are needed; returns how many.
  mutating func hire() -> Int {
    let count = max(0, min(width - workers, queue.count - head))
    workers += count
    return count
  }

  /// The next question; `nil` ends the worker.
  mutating func next() -> (address: Address, turn: UInt64)? {
    while head < queue.count {
      let (turn, address) = queue[head]
      head += 1
      if head > 1024, head > queue.count / 2 {
        queue.removeFirst(head)
        head = 0
      }
      guard let place = places[address], place.turn == turn else { continue }
      // Nobody waits for it any more.
      guard !place.waiters.isEmpty else {
        places[address] = nil
        continue
      }
      return (address, place.turn)
    }
    workers -= 1
    return nil
  }

  /// Whether anybody still waits for an answer.
  func isWanted(_ address: Address) -> Bool { places[address]?.waiters.isEmpty == false }

  /// Ends a question; returns those who waited for it.
  mutating func finish(_ address: Address) -> [Waiter] {
    places.removeValue(forKey: address).map { Array($0.waiters.values) } ?? []
  }

  /// Asks nothing more; returns those whose addresses are not being asked about.
  mutating func stop() -> [Waiter] {
    isStopped = true
    var waiters: [Waiter] = []
    for (_, address) in queue[head...] { waiters += finish(address) }
    (queue, head) = ([], 0)
    return waiters
  }
}
