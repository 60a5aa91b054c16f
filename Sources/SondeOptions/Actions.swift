/// The actions of `sonde cache`.
package enum CacheAction: String, CaseIterable, Sendable {
  case list, show, delete, clear, stats, path
  package var takesAddresses: Bool { self == .show || self == .delete }
}

/// The actions of `sonde quota`.
package enum QuotaAction: String, CaseIterable, Sendable {
  case list, reset
}

/// The actions of `sonde tables`.
package enum TablesAction: String, CaseIterable, Sendable {
  case add, remove, update, list, show

  var fetches: Bool { self == .add || self == .update }
}

/// The actions on the accounts of a running server.
package enum UserAction: String, CaseIterable, Sendable {
  case list, invite, reset, disable, enable, remove

  package var takesEmail: Bool { self != .list && self != .invite }
}

/// The words that the first operand of `sonde serve` can be.
enum ServeOperand: String, CaseIterable, Sendable {
  case link, user
}
