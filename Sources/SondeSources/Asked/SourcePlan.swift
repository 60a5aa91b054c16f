public import SondeAddresses
public import SondeRecords

/// The requests of a source that is asked, counted without sending any.
public protocol SourcePlan: Sendable {
  /// Counts distinct addresses.
  mutating func count(_ addresses: [Address]) async

  /// Counts distinct addresses, each with the crawlers that its line claims to come from.
  mutating func count(_ addresses: [Address], claiming claims: [CrawlerClaims]) async

  /// The counts of the source first, then of each service that it asks, the slowest first.
  var lines: [SourcePlanLine] { get }
}

extension SourcePlan {
  /// Claims do not matter.
  public mutating func count(_ addresses: [Address], claiming claims: [CrawlerClaims]) async {
    await count(addresses)
  }
}

/// A line of a plan: the questions to a source, or to a service that it asks.
public struct SourcePlanLine: Sendable, Equatable {
  /// The time that questions take.
  public enum Time: Sendable, Equatable {
    /// At least this long; with the questions per second if their rate is limited.
    case atLeast(Duration, perSecond: Int? = nil)
    /// As long as the answers take.
    case unlimited
    /// None, without questions.
    case nothing
    /// Unknown, for a reason.
    case unknown(String)
  }

  /// The name of the service that is asked.
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
