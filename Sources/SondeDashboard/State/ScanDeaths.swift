/// The number of consecutive server deaths while a scan ran without progress: a pure value.
///
/// A death is detected by the next server.
struct ScanDeaths: Sendable, Equatable {
  /// The number of deaths at one place that are not a coincidence.
  private static let limit = 2

  /// Whether the scan runs; if true at the start of a server, the last one died meanwhile.
  var isRunning = false

  /// The consecutive deaths at ``place``.
  private(set) var count = 0

  /// The progress of the scan at the last death.
  private(set) var place = 0

  /// Whether the scan is the likely cause.
  var areCaused: Bool { count >= Self.limit }

  /// Counts the death of a server during the scan; `place` is the scan's progress.
  mutating func note(at place: Int) {
    count = count > 0 && place == self.place ? count + 1 : 1
    (self.place, isRunning) = (place, false)
  }

  /// Applies a command: `retry` resets the count; after `resume`, one more there is the last.
  mutating func take(_ command: ScanLife.Command) {
    switch command {
    case .resume: count = min(count, Self.limit - 1)
    case .retry: self = ScanDeaths()
    case .start, .pause, .stop: break
    }
  }
}
