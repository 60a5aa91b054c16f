/// How often in a row the server died while a scan ran, without the scan getting any further.
///
/// A pure value: it learns of a death from what the next server finds.
struct ScanDeaths: Sendable, Equatable {
  /// The number of deaths at one place that are no accident.
  private static let limit = 2

  /// Whether the scan runs; found at the start of a server, that the server before died meanwhile.
  var isRunning = false

  /// The deaths in a row at ``place``.
  private(set) var count = 0

  /// How far the scan had come at the last death.
  private(set) var place = 0

  /// Nothing has died.
  init() {}

  /// Takes back what was kept.
  init(isRunning: Bool, count: Int, place: Int) {
    (self.isRunning, self.count, self.place) = (isRunning, count, place)
  }

  /// Whether the scan is what the server dies of.
  var areCaused: Bool { count >= Self.limit }

  /// Counts the death of the server that left the scan running.
  ///
  /// - Parameter place: How far the scan has come: equal where it has got no further.
  mutating func note(at place: Int) {
    count = count > 0 && place == self.place ? count + 1 : 1
    (self.place, isRunning) = (place, false)
  }

  /// Applies a command: after `resume`, one more death at the same place is the last; `retry` starts
  /// the count anew.
  mutating func take(_ command: ScanLife.Command) {
    switch command {
    case .resume: count = min(count, Self.limit - 1)
    case .retry: self = ScanDeaths()
    case .start, .pause, .stop: break
    }
  }
}
