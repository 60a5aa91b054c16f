import SondeFollow
import SondeSystem

/// Waits for changes of followed files, on a thread of its own.
actor FileEyes {
  /// The time between two readings at least, in which changes gather.
  private static let pause = Duration.milliseconds(100)
  /// How often all files are looked at: where changes of each are reported, and where not.
  private static let (longPace, pace) = (Duration.seconds(1), Duration.milliseconds(250))

  private let executor = BlockingExecutor(label: "sonde.watch")
  private let watch: FileWatch?
  private let interrupt: WakePipe
  private var last = ContinuousClock.now
  private var nextLook = ContinuousClock.now

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// - Throws: ``SystemError`` if the process cannot open more files.
  init(_ watch: FileWatch?) throws(SystemError) {
    self.watch = watch
    interrupt = try WakePipe()
  }

  /// Ends a wait.
  nonisolated func stop() { interrupt.ring() }

  /// Waits for changes, at most for a time; `nil` if all files are to be looked at.
  func changes(within longest: Duration = longPace) -> FileChanges? {
    let pace = watch?.isComplete == true ? Self.longPace : Self.pace
    let deadline = min(nextLook, .now + longest)
    _ = interrupt.wait(for: .reading, of: -1, until: min(deadline, last + Self.pause))
    let changes =
      watch?.changes(until: deadline, interruptedBy: interrupt)
      ?? {
        _ = interrupt.wait(for: .reading, of: -1, until: deadline)
        return FileChanges()
      }()
    last = .now
    guard last >= nextLook || changes.wantsLook else { return changes }
    nextLook = last + pace
    return nil
  }
}
