import SondeProviders

extension PermitMachine {
  /// Whether what is known of the quota matters to whoever sends next.
  func isInUse(now: Duration) -> Bool { underWay > 0 || quota.quota.rest(at: now) != nil }

  /// Notes that a permit was taken outside the queue.
  mutating func countAdmitted(_ count: Int) { underWay += count }

  /// Takes a permit back.
  ///
  /// - Returns: What the quota is to learn of it; nothing where there is no limit.
  mutating func giveBack(
    _ ticket: Quota.Ticket,
    _ outcome: Quota.Outcome,
    now: Duration
  ) -> [Change] {
    underWay -= 1
    rate?.settle(wasSent: outcome != .notSent, now: now)
    let change = Change.settle(ticket, outcome)
    guard let place = uncounted.firstIndex(of: ticket) else { return [change] }
    uncounted.remove(at: place)
    let isUnlimited = quota.quota.uncountedTicket(now: now) != nil
    if outcome.tellsOfNoLimit, isUnlimited { return [] }
    // From here on there is a limit, and those under way count.
    defer { uncounted = [] }
    return uncounted.map { .adopt($0) } + [change]
  }

  /// What the ledger is to learn beside the next change; it is out of here then.
  mutating func takeOwed() -> [Change] {
    defer { owed = [] }
    return owed
  }

  /// Notes what the ledger is to learn once it is back, before what has come since.
  ///
  /// An answer that was waited for may be among it: whoever waits asks the ledger anew.
  mutating func owe(_ changes: [Change]) {
    owed = changes + owed
    isDenied = false
  }

  /// Takes over what all processes know.
  mutating func learn(_ quota: SharedQuota) {
    note()
    self.quota = quota
  }

  /// Changes the quota here, for there is no ledger, or none that can be used at the moment.
  ///
  /// - Parameters:
  ///   - changes: What it is to learn.
  ///   - owed: What it has learnt here and the ledger has not.
  ///   - count: How many permits are wanted.
  ///   - now: This moment.
  /// - Returns: The permits, and what to wait for where there are fewer.
  mutating func apply(
    _ changes: [Change],
    owed: [Change],
    reserving count: Int,
    now: Duration
  ) -> (tickets: [Quota.Ticket], denial: Quota.Decision?) {
    note()
    if hasLedger { self.owed = owed + changes + self.owed }
    // Of the others nothing more will be heard.
    quota.dropDead(now: now) { [holder] in $0 == holder }
    quota.take(changes, of: holder, now: now)
    return quota.reserve(count, for: holder, now: now)
  }

  private mutating func note() {
    isKnown = true
    isDenied = false
    changes += 1
  }
}

extension SharedQuota {
  /// Learns of some changes.
  mutating func take(_ changes: [PermitMachine.Change], of holder: UInt64, now: Duration) {
    for change in changes {
      switch change {
      case .adopt(let ticket): adopt(ticket, of: holder)
      case .settle(let ticket, let outcome): settle(ticket, of: holder, outcome, now: now)
      }
    }
  }
}
