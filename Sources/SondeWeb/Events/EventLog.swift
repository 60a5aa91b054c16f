/// The latest events, so that a stream can resume after a break (WHATWG HTML §9.2).
struct EventLog: Sendable {
  /// An event in its sent form.
  struct Entry: Sendable, Equatable {
    let id: UInt64
    /// The user who may receive it; `nil` for everybody.
    let owner: String?
    let bytes: [UInt8]

    func isFor(_ user: String) -> Bool { owner == nil || owner == user }
  }

  let capacity: Int

  /// The ID of the last event; IDs rise by one.
  private(set) var lastID: UInt64

  /// A ring buffer once it is full.
  private var entries: [Entry] = []
  /// The index of the oldest event in the ring.
  private var oldest = 0

  init(capacity: Int, lastID: UInt64) { (self.capacity, self.lastID) = (capacity, lastID) }

  mutating func append(_ event: ServerEvent) -> Entry {
    lastID += 1
    let entry = Entry(id: lastID, owner: event.owner, bytes: event.bytes(id: lastID))
    if entries.count < capacity {
      entries.append(entry)
    } else {
      entries[oldest] = entry
      oldest = (oldest + 1) % capacity
    }
    return entry
  }

  /// The events that a user's stream missed after the event `id`, oldest first.
  ///
  /// It is `nil` if some are no longer stored, or the ID is from another run of the server.
  func missed(since id: UInt64, by user: String) -> [Entry]? {
    guard id >= lastID - UInt64(entries.count), id <= lastID else { return nil }
    return (entries[oldest...] + entries[..<oldest]).filter { $0.id > id && $0.isFor(user) }
  }
}
