package import SondeRecords

/// The results of rows that were requested again.
public struct UpgradeTally: Sendable, Equatable {
  /// The number of rows that required an answer.
  public var upgradable = 0
  /// The number of rows replaced by an answer.
  public var upgraded = 0
  /// The number of rows kept because the provider failed.
  public var failed = 0
  /// The number of rows kept because the network was lost.
  public var networkLost = 0

  init() {}

  package init(_ status: Status, isBetter: Bool) {
    upgradable = 1
    upgraded = isBetter ? 1 : 0
    failed = status == .failed ? 1 : 0
    networkLost = status == .networkLost ? 1 : 0
  }

  /// Creates the tally of one row for sources only.
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
