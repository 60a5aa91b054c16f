/// The names of an address in reverse DNS, or the texts about its route.
///
/// The holder of an address may give it any name; only a name that resolves to the address shows
/// that the name's holder agrees.
public struct HostNames: Sendable, Equatable {
  /// The status of the names.
  public enum Status: String, Sendable, CaseIterable {
    /// At least one of the names resolves to the address.
    case confirmed
    /// There are names, but none of the first ten resolves to the address.
    case unconfirmed
    /// The address has no name.
    case none
    /// The resolver has no answer for the address, or for its names, while it answers others.
    case failed
    /// The resolver does not answer at all.
    case networkLost = "network_lost"
  }

  /// The distinct names, confirmed ones first, otherwise in the order of the answer.
  ///
  /// Bytes that are not visible ASCII characters, dots inside labels and backslashes are written
  /// `\DDD`, in decimal.
  public let names: [String]

  /// The status of the names.
  public let status: Status

  /// The number of confirmed names, which come first; 0 for another status.
  public let confirmedCount: Int

  /// The lifetime of the result, from five minutes to a day; `nil` if nothing is known.
  public let lifetime: Duration?

  /// The reason of a failure or a loss.
  public let reason: String?

  /// The names that resolve to the address.
  public var confirmedNames: ArraySlice<String> { names.prefix(confirmedCount) }

  /// Creates a result, such as a stored one; of confirmed names, by default only the first is known
  /// to be.
  public init(
    names: [String],
    status: Status,
    confirmed: Int = 1,
    lifetime: Duration?,
    reason: String? = nil
  ) {
    (self.names, self.status) = (names, status)
    confirmedCount = status == .confirmed ? min(confirmed, names.count) : 0
    (self.lifetime, self.reason) = (lifetime, reason)
  }

  init(names: [String] = [], _ failure: QuestionFailure) {
    switch failure {
    case .unanswered(let reason):
      // The longest lifetime of a failure (RFC 2308 §7).
      self.init(names: names, status: .failed, lifetime: .seconds(300), reason: reason)
    case .networkLost(let reason):
      self.init(names: names, status: .networkLost, lifetime: nil, reason: reason)
    }
  }
}

/// The reason why a question has no answer.
enum QuestionFailure: Sendable, Equatable {
  /// The resolver answers other questions.
  case unanswered(String)
  /// The resolver does not answer at all.
  case networkLost(String)
}
