import SondeSystem

/// Positions in files that are no longer held, by which these are recognised, the latest last.
struct DonePositions: Sendable, Sequence {
  /// `nil` where one was removed.
  private var slots: [FilePosition?] = []
  private var byNumber: [Int64: Int] = [:]
  private var byFile: [FileIdentity: [Int]] = [:]
  private var passedOver = 0

  init(_ positions: some Sequence<FilePosition>) {
    for position in positions { add(position) }
  }

  func makeIterator() -> some IteratorProtocol<FilePosition> {
    slots.lazy.compactMap { $0 }.makeIterator()
  }

  /// Adds a position, in place of one in the same file with the same beginning.
  mutating func add(_ position: FilePosition) {
    for slot in byFile[position.identity] ?? [] where slots[slot]?.head == position.head {
      remove(at: slot)
    }
    byNumber[position.number] = slots.count
    byFile[position.identity, default: []].append(slots.count)
    slots.append(position)
    if position.stage == .passedOver { passedOver += 1 }
  }

  /// Removes the position with a number, if it is there.
  mutating func remove(_ number: Int64) {
    if let slot = byNumber[number] { remove(at: slot) }
  }

  private mutating func remove(at slot: Int) {
    guard let position = slots[slot] else { return }
    slots[slot] = nil
    if byNumber[position.number] == slot { byNumber[position.number] = nil }
    byFile[position.identity]?.removeAll { $0 == slot }
    if byFile[position.identity]?.isEmpty ?? false { byFile[position.identity] = nil }
    if position.stage == .passedOver { passedOver -= 1 }
  }

  /// Forgets the oldest of those that were read, and of those that were passed over, beyond a number.
  mutating func limit(toRead mostRead: Int, passedOver mostPassedOver: Int) {
    var surplus = (read: byNumber.count - passedOver - mostRead, other: passedOver - mostPassedOver)
    guard surplus.read > 0 || surplus.other > 0 else { return }
    for slot in slots.indices {
      guard surplus.read > 0 || surplus.other > 0 else { break }
      switch slots[slot]?.stage {
      case nil: continue
      case .passedOver where surplus.other > 0: surplus.other -= 1
      case .passedOver: continue
      case _ where surplus.read > 0: surplus.read -= 1
      default: continue
      }
      remove(at: slot)
    }
    if slots.count > 2 * byNumber.count + 100 { self = DonePositions(self) }
  }
}
