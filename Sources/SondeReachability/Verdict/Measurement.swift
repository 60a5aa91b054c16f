/// What one probe found, and how it connected.
public struct Measurement: Hashable, Sendable {
  /// What it shows about the path.
  public var finding: Finding

  /// The time from the first packet to the answer, without name resolution; `nil` without an answer.
  public var connect: Duration?

  /// Whether the first packet had to be sent again (`tcpi_total_retrans` in tcp(7)).
  ///
  /// The kernel does so after a second without an answer (RFC 6298 §2.1).
  public var isResent: Bool

  /// Creates a measurement.
  public init(_ finding: Finding, connect: Duration? = nil, isResent: Bool = false) {
    (self.finding, self.connect, self.isResent) = (finding, connect, isResent)
  }
}

/// How bad an open path must be to count as degraded; a limit that is `nil` is not looked at.
public struct DegradedLimits: Hashable, Sendable {
  /// The share of lost probes, from above 0 to 1, from which the path is lossy.
  public var loss: Double?

  /// The median time to connect above which the path is slow.
  public var connect: Duration?

  /// Creates limits.
  public init(loss: Double? = nil, connect: Duration? = nil) {
    (self.loss, self.connect) = (loss, connect)
  }
}
