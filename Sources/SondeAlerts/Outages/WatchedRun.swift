import SondeSystem

/// The condition of the way to an endpoint, from good to bad, by its word in events.
package enum WatchedState: String, CaseIterable, Comparable, Sendable {
  case online, degraded, offline

  package static func < (left: WatchedState, right: WatchedState) -> Bool {
    left.severity < right.severity
  }

  private var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A time in which one program watched an endpoint without a break and found it in one state.
///
/// All times are milliseconds.
package struct WatchedRun: Sendable, Equatable {
  /// A random number.
  package var id: Int64

  /// The number by whose lock others see that the program is alive.
  package var watcher: Int64

  /// The name of the command.
  package var program: String

  /// The endpoint as in events; several have blanks between them.
  package var endpoint: String

  package var state: WatchedState

  /// The first cause as in events.
  package var cause: String?

  /// The interface at the beginning.
  package var interface: String?

  /// The run of the machine, to which ``begin`` belongs; 0 where only the wall clock is known.
  package var boot: Int64

  /// The beginning on the clock that never jumps.
  package var begin: Int64

  /// The beginning since 1970 UTC, by the machine's clock at that moment.
  package var wall: Int64

  /// The time from the beginning to the end or, until then, to the last sign of life.
  package var length: Int64

  /// Whether the end was seen.
  package var isOver = false

  /// Whether it goes on at the time of reading.
  package var isOngoing = false

  /// Creates a run; see the properties.
  package init(
    id: Int64,
    watcher: Int64,
    program: String,
    endpoint: String,
    state: WatchedState,
    cause: String? = nil,
    interface: String? = nil,
    boot: Int64,
    begin: Int64,
    wall: Int64,
    length: Int64,
    isOver: Bool = false
  ) {
    (self.id, self.watcher, self.program, self.endpoint) = (id, watcher, program, endpoint)
    (self.state, self.cause, self.interface) = (state, cause, interface)
    (self.boot, self.begin, self.wall) = (boot, begin, wall)
    (self.length, self.isOver) = (length, isOver)
  }

  /// The end, or the last sign of life, on the clock that never jumps.
  package var end: Int64 { begin + max(1, length) }
}
