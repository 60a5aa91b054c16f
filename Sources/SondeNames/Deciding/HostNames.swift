/// The names of an address, as reverse DNS gives them.
///
/// Whoever holds an address may give it any name; only that the name leads back to the address shows
/// that its holder agrees.
public struct HostNames: Sendable, Equatable {
  /// What is known of the names.
  public enum Status: String, Sendable, CaseIterable {
    /// At least one of the names leads to the address.
    case confirmed
    /// There are names, but none of the first ten leads to the address.
    case unconfirmed
    /// The address has no name.
    case none
    /// The resolver has no answer for the address, or for its names, while it answers others.
    case failed
    /// The resolver does not answer at all.
    case networkLost = "network_lost"
  }

  /// The names, each once, confirmed ones first, otherwise in the order of the answer.
  ///
  /// Bytes that are no visible ASCII character, dots inside labels and backslashes are written `\DDD`,
  /// in decimal.
  public let names: [String]

  /// What is known of them.
  public let status: Status

  /// How long this holds: from five minutes to a day; `nil` where nothing is known.
  public let lifetime: Duration?

  /// Why nothing is known: of a failure and a loss.
  public let reason: String?

  /// Makes a result, as one that was kept.
  public init(names: [String], status: Status, lifetime: Duration?, reason: String? = nil) {
    (self.names, self.status) = (names, status)
    (self.lifetime, self.reason) = (lifetime, reason)
  }

  /// Why nothing is known.
  init(names: [String] = [], _ failure: QuestionFailure) {
    switch failure {
    case .unanswered(let reason):
      // The longest time for which a failure may be kept (RFC 2308 §7).
      self.init(names: names, status: .failed, lifetime: .seconds(300), reason: reason)
    case .networkLost(let reason):
      self.init(names: names, status: .networkLost, lifetime: nil, reason: reason)
    }
  }
}

/// Why a question has no answer.
enum QuestionFailure: Sendable, Equatable {
  /// The resolver answers, but not this.
  case unanswered(String)
  /// The resolver does not answer at all.
  case networkLost(String)
}
