/// The crawlers that a line claims to come from: a set of their numbers in the table of crawlers.
public struct CrawlerClaims: OptionSet, Hashable, Sendable, BitwiseCopyable {
  /// Finds what a whole line without its end claims.
  public typealias Finder = @Sendable (_ line: Span<UInt8>) -> CrawlerClaims

  /// One bit for each crawler.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The claim to be the crawler with a number below 8.
  public init(number: Int) { rawValue = 1 << UInt8(number) }
}
