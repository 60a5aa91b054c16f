package import SondeRecords

/// What became of the rows that were asked for again.
public struct UpgradeTally: Sendable, Equatable {
  /// Rows that wanted an answer.
  public var upgradable = 0
  /// Rows that were replaced by an answer.
  public var upgraded = 0
  /// Rows that stay because the provider failed.
  public var failed = 0
  /// Rows that stay because the network was lost.
  public var networkLost = 0

  /// Makes a tally of no rows.
  init() {}

  /// What came of asking for a row.
  package init(_ status: Status, isBetter: Bool) {
    upgradable = 1
    upgraded = isBetter ? 1 : 0
    failed = status == .failed ? 1 : 0
    networkLost = status == .networkLost ? 1 : 0
  }

  /// What came of filling a row that no provider was asked about.
  package init(isFilled: Bool, isOpen: Bool) {
    upgradable = isFilled || isOpen ? 1 : 0
    upgraded = isFilled ? 1 : 0
  }

  package static func += (left: inout UpgradeTally, right: UpgradeTally) {
    left.upgradable += right.upgradable
    left.upgraded += right.upgraded
    left.failed += right.failed
    left.networkLost += right.networkLost
  }
}
