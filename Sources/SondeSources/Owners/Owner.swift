import SondeProviders

/// The owner of an address's network, according to a registry.
struct Owner: Sendable, Hashable {
  enum Outcome: Sendable, Hashable {
    /// The network that contains the address.
    case found(Registration)
    /// No registry knows one.
    case unknown
    case failed
    case networkLost
  }

  let outcome: Outcome

  /// The registry that answered; `nil` if none did.
  let registry: Registry?

  var registration: Registration? {
    if case .found(let registration) = outcome { registration } else { nil }
  }

  /// Whether it is an answer, including that there is no network.
  var isAnswer: Bool {
    switch outcome {
    case .found, .unknown: true
    case .failed, .networkLost: false
    }
  }
}
