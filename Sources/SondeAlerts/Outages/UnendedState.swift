package import SondeReachability

/// A state other than `online` in which an earlier watch of an endpoint ended.
///
/// All times are milliseconds.
package struct UnendedState: Sendable, Equatable {
  package let state: WatchedState

  /// The first cause and the interface at the beginning, as in events.
  package let cause: String?
  package let interface: String?

  /// The endpoint as in events.
  package let endpoint: String

  /// When it began, since 1970 UTC.
  package let since: Int64

  /// When the network left `online` before it, since 1970 UTC.
  package let left: Int64

  /// How long it was watched.
  package let watched: Int64

  /// Joins what watches saw of an endpoint in turn, the newest first.
  ///
  /// - Returns: `nil` if the endpoint was last online.
  package init?(newestFirst runs: [WatchedRun]) {
    let bad = runs.prefix { $0.state != .online }
    guard let last = bad.first, let oldest = bad.last else { return nil }
    let same = bad.prefix { $0.state == last.state }
    let first = same.last ?? last
    (state, endpoint) = (last.state, last.endpoint)
    (cause, interface, since) = (first.cause, first.interface, first.wall)
    left = oldest.wall
    watched = same.reduce(0) { $0 + $1.length }
  }
  /// Why the network was degraded in that state; `nil` if it was offline.
  ///
  /// A cause that has no name here becomes the most general one.
  package var degradedCause: DegradedCause? {
    state == .degraded ? cause.flatMap(DegradedCause.init) ?? .lossy : nil
  }
}
