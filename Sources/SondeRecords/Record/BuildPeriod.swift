/// The time between two builds of databases, in which all times have the same answers.
public struct BuildPeriod: Hashable, Sendable {
  @usableFromInline let number: UInt16

  /// Answers do not depend on a time.
  @inlinable public static var undated: BuildPeriod { BuildPeriod(number: 0) }
  /// Answers depend on a time, but there is none.
  @inlinable public static var timeless: BuildPeriod { BuildPeriod(number: 1) }

  @inlinable
  init(number: UInt16) { self.number = number }

  /// Bits to mix into the hash of something at this time; 0 for ``undated``.
  @inlinable
  public var hash: UInt64 { UInt64(number) << 32 }

  /// Bytes that tell it apart from others, and that no name of a zone has; empty for ``undated``.
  public var bytes: [UInt8] {
    self == .undated ? [] : [0, UInt8(truncatingIfNeeded: number >> 8), UInt8(number & 0xff)]
  }

  /// The number of builds that came before; `nil` without a time.
  public var builds: Int? { number < 2 ? nil : Int(number) - 2 }
}

/// The times at which databases were built, which divide time into periods.
public struct BuildPeriods: Sendable {
  /// The largest number of builds that are distinguished.
  public static let mostBuilds = Int(UInt16.max) - 2

  /// The times of the builds, in ascending order, in milliseconds since 1970 UTC.
  private let starts: [Int64]

  /// Divides time at builds, given in any order in seconds since 1970 UTC; those that were built at
  /// the same time begin the same period.
  public init(builds: [Int64]) { starts = Set(builds).sorted().map { $0 * 1000 } }

  /// The number of builds.
  public var count: Int { starts.count }

  /// The period of a time in milliseconds since 1970 UTC, if there is one; a build begins it.
  public func period(of time: Int64?) -> BuildPeriod {
    guard let time else { return .timeless }
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return BuildPeriod(number: UInt16(min(low, Self.mostBuilds) + 2))
  }
}
