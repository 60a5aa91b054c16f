/// What `sonde cache` can do.
package enum CacheAction: String, CaseIterable, Sendable {
  case list, show, delete, clear, stats, path

  /// Whether it is about some addresses.
  package var takesAddresses: Bool { self == .show || self == .delete }
}

/// What `sonde quota` can do.
package enum QuotaAction: String, CaseIterable, Sendable {
  case list, reset
}

/// What `sonde tables` can do.
package enum TablesAction: String, CaseIterable, Sendable {
  case update, list
}

/// What can be done with the accounts of a running server.
package enum UserAction: String, CaseIterable, Sendable {
  case list, invite, reset, disable, enable, remove

  package var takesEmail: Bool { self != .list && self != .invite }
}

/// What the first operand of `sonde serve` may be.
enum ServeOperand: String, CaseIterable, Sendable {
  case link, user
}
