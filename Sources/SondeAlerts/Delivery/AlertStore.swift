import SondeOutputs
import SondeRecords
import SondeSystem

/// The queue of one URL: alerts on disk, which other programs add to as well, and those that could
/// not be written.
///
/// Only the program that holds the lock sends what is on disk; each sends what it could not write.
package actor AlertStore {
  /// The largest number of waiting alerts; beyond it, the oldest are dropped.
  static let most = 10_000

  /// An alert to add.
  struct Addition {
    let body: [UInt8]
    /// What identifies it in all queues; `nil` if the queue may choose.
    var key: String?
  }

  /// A waiting alert.
  struct Waiting: Equatable {
    let name: AlertName
    let body: [UInt8]
    /// For one of the network, the newest such alert that follows, if any.
    var newest: [UInt8]?
  }

  private typealias Memory = (name: AlertName, body: [UInt8])

  private let executor: BlockingExecutor
  private let folder: AlertFolder?
  private let say: @Sendable (String) -> Void
  private var lock: SenderLock
  /// The order of the alerts on disk that this program sends; others may have added more behind.
  private var listed: ArraySlice<AlertName> = []
  /// Alerts that are not on disk, in order.
  private var memory: ArraySlice<Memory> = []
  /// Alerts that are done with in this run, but could not be removed, or not be read.
  private var settled: Set<AlertName> = []
  private var ages: [AlertName: AlertAge] = [:]
  /// The keys of alerts that the queue is done with, and whether they are all, once that matters.
  private var done: (keys: Set<String>, areAll: Bool)?
  private var clock = ClockWatch(wall: Clocks.wall, steady: Clocks.steady)
  /// The newest alert of the network, if there is one, and the last alert when it was sought.
  private var newest: (alert: Memory?, last: AlertName)?
  private var lastNumber = 0
  private var isSender = false
  private var isFailing = false
  private var isFull = false

  /// The number of alerts refused in this run.
  private(set) var refused = 0

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Opens a queue, and moves the alerts of an older Sonde into it; without a `place`, alerts are in
  /// memory only.
  ///
  /// `say` reports an error of this queue.
  package init(_ place: AlertPlace?, say: @escaping @Sendable (String) -> Void) {
    executor = BlockingExecutor(label: "sonde.alerts")
    (folder, self.say) = (place?.folder, say)
    lock = SenderLock(path: place?.folder.path ?? "")
    if let place { place.legacy.move(into: place.folder) }
  }

  /// The directory of the alerts; `nil` if they are in memory only.
  nonisolated var path: String? { folder?.path }

  /// The directory of the refused alerts.
  nonisolated var refusedPath: String? { folder?.refusedPath }

  // MARK: Adding

  /// Adds alerts, and returns once they are on disk, or cannot be; those whose keys are there already
  /// wait there, and those that the queue was done with are not added again.
  ///
  /// Each call looks through the directory, and waits for the disk: many alerts need few calls.
  ///
  /// - Returns: Whether all are on disk or done with: others are lost if this program is killed.
  @discardableResult
  func append(_ additions: [Addition]) -> Bool {
    let waiting = folder?.waiting() ?? []
    let new = unknown(additions, besides: waiting)
    add(new, behind: waiting)
    let unkept = Set(memory.map(\.name.key))
    let isKept = !additions.contains { $0.key.map(unkept.contains) ?? !unkept.isEmpty }
    // Handed over again, they may have been sent by another program meanwhile.
    if !isKept { done?.areAll = false }
    return isKept
  }

  private func add(_ new: [Addition], behind waiting: [AlertName]) {
    guard !new.isEmpty else { return }
    let last = max(lastNumber, folder?.lastNumber(of: waiting) ?? 0)
    let alerts: [Memory] = new.enumerated().map { index, addition in
      (AlertName(number: last + 1 + index, key: addition.key), addition.body)
    }
    lastNumber = last + alerts.count
    let age = AlertAge(raisedAt: Clocks.steady)
    for (name, _) in alerts { ages[name] = age }
    let isWritten = write(alerts)
    memory += zip(alerts, isWritten).filter { !$1 }.map(\.0)
    let written = waiting + zip(alerts, isWritten).filter(\.1).map(\.0.name)
    if isSender { list(written) }
    dropOldest(of: written)
    forgetAges(besides: written)
  }

  /// Those that are not in the queue, and were not before.
  private func unknown(_ additions: [Addition], besides waiting: [AlertName]) -> [Addition] {
    guard additions.contains(where: { $0.key != nil }) else { return additions }
    var known = done?.keys ?? []
    if done?.areAll != true || known.count > 4 * DoneKeys.most {
      known = (known.count > 4 * DoneKeys.most ? [] : known).union(folder?.doneKeys.all() ?? [])
      done = (known, true)
    }
    known.formUnion(waiting.map(\.key))
    known.formUnion(memory.map(\.name.key))
    return additions.filter { $0.key.map { known.insert($0).inserted } ?? true }
  }

  /// Notes that the queue is done with an alert.
  private func finish(_ name: AlertName) {
    folder?.doneKeys.add(name.key)
    done?.keys.insert(name.key)
  }

  /// Returns of each alert whether it is on disk.
  private func write(_ alerts: [Memory]) -> [Bool] {
    guard let folder else { return alerts.map { _ in false } }
    let errors = folder.write(alerts)
    if let error = errors.lazy.compactMap(\.self).first {
      fail(error, "alerts are kept in memory only")
    } else {
      isFailing = false
    }
    return errors.map { $0 == nil }
  }

  private func fail(_ error: OutputError, _ consequence: String) {
    if !isFailing { say("\(error); \(consequence)") }
    isFailing = true
  }

  /// Removes the oldest if there are too many, even if another program sends them.
  private func dropOldest(of kept: [AlertName]) {
    let excess = kept.count + memory.count - Self.most
    guard excess > 0 else {
      isFull = false
      return
    }
    let oldest = kept.prefix(excess)
    for name in oldest { settle(name) }
    for (name, _) in memory.prefix(excess - oldest.count) { settle(name) }
    if !isFull { say("more than \(grouped(Self.most)) alerts wait; the oldest are dropped") }
    isFull = true
  }

  /// Forgets the ages of alerts that another program has sent.
  private func forgetAges(besides kept: [AlertName]) {
    guard ages.count > 2 * (kept.count + memory.count) + 100 else { return }
    let waiting = Set(kept).union(memory.map(\.name))
    ages = ages.filter { waiting.contains($0.key) }
  }

  // MARK: Sending

  /// Takes the lock if it is free, and drops what is too old.
  func renew() {
    let (wall, steady) = (Clocks.wall, Clocks.steady)
    let wasSender = isSender
    isSender = lock.take() == true
    if !isSender { listed = [] }
    if isSender, !wasSender { folder?.removeStaleDrafts(wall: wall) }
    if isSender, listed.isEmpty { list(folder?.waiting() ?? []) }
    if clock.wasSet(wall: wall, steady: steady) { stamp(wall: wall, steady: steady) }
    dropOld(steady)
  }

  /// Sets the order of the alerts on disk, and notes the age of those that are new here.
  private func list(_ waiting: [AlertName]) {
    listed = waiting.filter { !settled.contains($0) }[...]
    let (wall, steady) = (Clocks.wall, Clocks.steady)
    for name in listed where ages[name] == nil {
      let written = name.isRefused ? nil : folder?.written(name)
      ages[name] =
        written.map { AlertAge(written: $0, wall: wall, steady: steady) }
        ?? AlertAge(raisedAt: steady)
    }
  }

  /// Corrects the times of the files, so that a later run does not mistake their ages.
  private func stamp(wall: Duration, steady: Duration) {
    for name in listed {
      guard let age = ages[name]?.age(at: steady) else { continue }
      folder?.stamp(name, written: max(.zero, wall - age))
    }
  }

  private func dropOld(_ steady: Duration) {
    var count = 0
    while let name = firstName, ages[name]?.isOver(at: steady) == true {
      settle(name)
      count += 1
    }
    guard count > 0 else { return }
    say(SondeRecords.count(count, "alert is", "alerts are") + " older than 7 days, and dropped")
  }

  private var firstName: AlertName? {
    switch (listed.first, memory.first?.name) {
    case (let name?, let other?): min(name, other)
    case (let name, let other): name ?? other
    }
  }

  /// Looks for alerts of other programs too; returns the one to send next, `nil` if there is none.
  func next() -> Waiting? {
    renew()
    return first()
  }

  /// The alert to send next; `nil` if there is none for this program to send.
  func first() -> Waiting? {
    while let name = firstName {
      do throws(OutputError) {
        if let body = try body(of: name) {
          let newest = isOfNetwork(body) ? newestBody(behind: name) : nil
          return Waiting(name: name, body: body, newest: newest)
        }
        // Another program has dropped it, or its writer was cut off.
        settle(name)
      } catch {
        // It holds up no other, and the next run may be able to read it.
        _ = forget(name)
        settled.insert(name)
        fail(error, "that alert is passed over")
      }
      if listed.isEmpty, isSender { list(folder?.waiting() ?? []) }
    }
    return nil
  }

  private func body(of name: AlertName) throws(OutputError) -> [UInt8]? {
    if let index = memoryIndex(of: name) { return memory[index].body }
    return try folder?.read(name)
  }

  private func isOfNetwork(_ body: [UInt8]) -> Bool {
    Alert(stored: body, host: "")?.kind == .network
  }

  private func newestBody(behind name: AlertName) -> [UInt8]? {
    guard let last = [listed.last, memory.last?.name].compactMap(\.self).max(), last != name else {
      return nil
    }
    // Once all that was looked through is sent, numbers may begin anew.
    if let known = newest?.last, !isWaiting(known) { newest = nil }
    if newest?.last != last { newest = (newestOfNetwork() ?? newest?.alert, last) }
    guard let alert = newest?.alert, alert.name > name else { return nil }
    return alert.body
  }

  /// The newest alert of the network among those that were not looked through.
  private func newestOfNetwork() -> Memory? {
    let isNew = { [newest] (name: AlertName) in newest.map { name > $0.last } ?? true }
    let names = listed.reversed().prefix(while: isNew) + memory.map(\.name).filter(isNew)
    for name in names.sorted(by: >) {
      if let body = try? body(of: name), isOfNetwork(body) { return (name, body) }
    }
    return nil
  }

  /// Removes an alert that was delivered or is dropped.
  func settle(_ name: AlertName) {
    finish(name)
    guard !forget(name) else { return }
    do throws(OutputError) {
      try folder?.remove(name)
    } catch {
      settled.insert(name)
      fail(error, "delivered alerts stay there, and may be sent again by the next run")
    }
  }

  /// Moves an alert to the refused ones.
  func refuse(_ alert: Waiting) {
    refused += 1
    finish(alert.name)
    let isInMemory = forget(alert.name)
    do throws(OutputError) {
      try folder?.refuse(alert.name, isInMemory ? alert.body : nil)
    } catch {
      settled.insert(alert.name)
      fail(error, "refused alerts are not kept")
    }
  }

  /// Takes an alert out of the order; returns whether it was in memory only.
  private func forget(_ name: AlertName) -> Bool {
    ages[name] = nil
    if listed.first == name { listed.removeFirst() } else { listed.removeAll { $0 == name } }
    guard let index = memoryIndex(of: name) else { return false }
    if index == memory.startIndex { memory.removeFirst() } else { memory.remove(at: index) }
    return true
  }

  /// Where an alert is in memory, whose order is that of the names.
  private func memoryIndex(of name: AlertName) -> Int? { memory.index(of: name, by: \.name) }

  private func isWaiting(_ name: AlertName) -> Bool {
    listed.index(of: name, by: \.self) != nil || memoryIndex(of: name) != nil
  }

  // MARK: At the end

  /// The numbers of waiting alerts on disk and in memory only, and whether another program sends.
  func remaining() -> (kept: Int, unkept: Int, isSentElsewhere: Bool) {
    let kept = (folder?.waiting() ?? []).count { !settled.contains($0) }
    return (kept, memory.count, kept > 0 && lock.take() == false)
  }
}

extension ArraySlice {
  /// Where the element of a name is, in the order of their names.
  fileprivate func index(of name: AlertName, by path: KeyPath<Element, AlertName>) -> Int? {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle][keyPath: path] < name { low = middle + 1 } else { high = middle }
    }
    return low < endIndex && self[low][keyPath: path] == name ? low : nil
  }
}
