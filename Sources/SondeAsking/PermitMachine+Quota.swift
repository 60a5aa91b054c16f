import SondeProviders

extension PermitMachine {
  /// Whether the state of the quota matters to the next request.
  func isInUse(now: Duration) -> Bool { underWay > 0 || quota.quota.rest(at: now) != nil }

  /// Counts permits that were issued outside the queue.
  mutating func countAdmitted(_ count: Int) { underWay += count }

  /// Takes back a permit; returns the changes for the quota, none if there is no limit.
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
    // From now on there is a limit, and pending requests count.
    defer { uncounted = [] }
    return uncounted.map { .adopt($0) } + [change]
  }

  /// Removes and returns the pending changes for the ledger.
  mutating func takeOwed() -> [Change] {
    defer { owed = [] }
    return owed
  }

  /// Adds pending changes for the ledger before those that have arrived since.
  ///
  /// They may include awaited answers, so waiting tasks ask the ledger again.
  mutating func owe(_ changes: [Change]) {
    owed = changes + owed
    isDenied = false
  }

  /// Replaces the quota by the shared one.
  mutating func learn(_ quota: SharedQuota) {
    note()
    self.quota = quota
  }

  /// Changes the local quota, because there is no usable ledger at the moment.
  ///
  /// `owed` are the changes that the ledger does not know. Returns the permits, and what to wait
  /// for if there are fewer than `count`.
  mutating func apply(
    _ changes: [Change],
    owed: [Change],
    reserving count: Int,
    now: Duration
  ) -> (tickets: [Quota.Ticket], denial: Quota.Decision?) {
    note()
    if hasLedger { self.owed = owed + changes + self.owed }
    // Other processes' requests will never be settled here.
    quota.dropDead(now: now) { [holder] in $0 == holder }
    quota.take(changes, of: holder, now: now)
    return quota.reserve(count, for: holder, now: now)
  }

  private mutating func note() {
    (isKnown, isDenied) = (true, false)
    changes += 1
  }
}

extension SharedQuota {
  mutating func take(_ changes: [PermitMachine.Change], of holder: UInt64, now: Duration) {
    for change in changes {
      switch change {
      case .adopt(let ticket): adopt(ticket, of: holder)
      case .settle(let ticket, let outcome): settle(ticket, of: holder, outcome, now: now)
      }
    }
  }
}
