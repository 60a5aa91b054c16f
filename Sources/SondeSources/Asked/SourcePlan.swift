public import SondeAddresses

/// The requests of a source that is asked, counted without sending any.
public protocol SourcePlan: Sendable {
  /// Counts distinct addresses.
  mutating func count(_ addresses: [Address]) async

  /// What was counted: the source first, then each of those it asks, the slowest first.
  var lines: [SourcePlanLine] { get }
}

/// A line of a plan: the questions to a source, or to one of those it asks.
public struct SourcePlanLine: Sendable, Equatable {
  /// The time that questions take.
  public enum Time: Sendable, Equatable {
    /// At least this long; with the questions per second if a pace is kept.
    case atLeast(Duration, perSecond: Int? = nil)
    /// As long as the answers take.
    case unlimited
    /// None, without questions.
    case nothing
    /// Unknown, for a reason.
    case unknown(String)
  }

  /// The name of who is asked.
  public let name: String
  /// Whether it belongs to the source of the line before.
  public let isPart: Bool
  /// The number of questions.
  public let questions: Int
  /// The time that they take.
  public let time: Time

  init(_ name: String, isPart: Bool = false, questions: Int, _ time: Time) {
    (self.name, self.isPart, self.questions, self.time) = (name, isPart, questions, time)
  }
}
