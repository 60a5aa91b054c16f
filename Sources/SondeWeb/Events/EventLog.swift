/// The events that were told last, so that a stream that broke can resume (WHATWG HTML §9.2).
struct EventLog: Sendable {
  /// An event as it is sent.
  struct Entry: Sendable, Equatable {
    let id: UInt64
    /// Whose it is; `nil` is everybody's.
    let owner: String?
    let bytes: [UInt8]
  }

  /// How many are kept.
  let capacity: Int

  /// The id of the last one; ids rise by one.
  private(set) var lastID: UInt64

  /// A ring once it is full.
  private var entries: [Entry] = []
  /// Where its oldest entry is.
  private var oldest = 0

  init(capacity: Int, lastID: UInt64) { (self.capacity, self.lastID) = (capacity, lastID) }

  /// Keeps an event.
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

  /// What a stream has missed that ended with an event.
  ///
  /// - Parameters:
  ///   - id: The last event that it had.
  ///   - user: Whose stream it is.
  /// - Returns: Events, oldest first; `nil` where some are no longer kept, or were told by another life
  ///   of the server.
  func missed(since id: UInt64, by user: String) -> [Entry]? {
    guard id >= lastID - UInt64(entries.count), id <= lastID else { return nil }
    return (entries[oldest...] + entries[..<oldest]).filter { $0.id > id && $0.isFor(user) }
  }
}

extension EventLog.Entry {
  /// Whether a user is told of it.
  func isFor(_ user: String) -> Bool { owner == nil || owner == user }
}
