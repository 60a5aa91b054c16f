/// The life cycle of a scan: its state and the possible transitions.
///
/// A pure value that receives events with their times.
public struct ScanLife: Sendable, Equatable {
  /// The displayed state.
  public enum State: String, Sendable, CaseIterable {
    case ready, running, waiting, paused, done, stopped, failed
  }

  /// The reason for waiting.
  public enum Waiting: String, Sendable, CaseIterable {
    case network, quota, queue, disk
  }

  /// A user's command.
  public enum Command: String, Sendable, CaseIterable {
    case start, pause, resume, stop, retry
  }

  /// The result of a command.
  public enum Answer: Sendable, Equatable {
    case done([Action])
    /// Already in the requested state.
    case holds
    /// Not possible, with the reason.
    case impossible(String)
  }

  /// How a run ended.
  public enum End: Sendable, Equatable {
    /// No work is left.
    case complete
    /// It was halted.
    case halted
    /// The disk is full.
    case diskFull
    /// It cannot be continued, with the reason.
    case failed(String)
    /// The server died twice in a row during the run, at the same entry.
    case deadly
  }

  /// An event.
  public enum Event: Sendable, Equatable {
    /// Its turn has come.
    case admitted
    case networkLost, networkBack
    /// Nothing may be sent before a moment.
    case quotaSpent(until: ContinuousClock.Instant)
    case diskShort, diskFree
    case ended(End)
  }

  /// An action of the caller.
  public enum Action: Sendable, Equatable {
    /// Add it to the queue.
    case enqueue
    /// Remove it from the queue.
    case dequeue
    /// Let requests in flight finish, then stop.
    case halt
  }

  /// The persistent part of the state.
  public enum Phase: String, Sendable, CaseIterable {
    case ready, active, paused, done, stopped, failed
  }

  private enum Work: Sendable { case none, queued, running, halting }

  /// The persistent part of the state.
  public private(set) var phase: Phase

  /// Why it failed; kept during a retry.
  private(set) var reason: String?

  /// The phase before the first retry, restored after it; `nil` while the scan reads its input.
  ///
  /// A retry does not ask for entries that were not read.
  private(set) var retried: Phase?

  /// Why it failed if a database of its beginning is gone; then it can be resumed.
  static let missingDatabases =
    "it began with local databases that are not there now; resume it once they are back"

  /// Whether it failed because the server died while it ran; then it can be resumed.
  private var isDeadly = false

  private var work = Work.none
  private var isOffline = false
  private var isShortOfDisk = false
  private var quotaEnd: ContinuousClock.Instant?

  /// Creates a life cycle, or restores a stored one.
  ///
  /// - Parameters:
  ///   - phase: The stored phase.
  ///   - reason: Why it failed, if it did.
  ///   - retried: The phase before the first retry, if there was one.
  ///   - isDeadly: Whether it failed because the server died while it ran.
  public init(
    _ phase: Phase = .ready,
    reason: String? = nil,
    retried: Phase? = nil,
    isDeadly: Bool = false
  ) {
    (self.phase, self.reason, self.retried) = (phase, reason, retried)
    self.isDeadly = isDeadly
  }

  /// Why it failed.
  public var detail: String? { phase == .failed ? reason : nil }

  /// Whether it asks again for rows without a good answer, rather than reading its input.
  public var isRetry: Bool { retried != nil }

  /// The state and, if that is ``State/waiting``, its reason.
  public func state(now: ContinuousClock.Instant) -> (state: State, waiting: Waiting?) {
    // Only the phase `active` is not the name of a state.
    if let state = State(rawValue: phase.rawValue) { return (state, nil) }
    if isShortOfDisk { return (.waiting, .disk) }
    if work == .queued || work == .none { return (.waiting, .queue) }
    if isOffline { return (.waiting, .network) }
    if let quotaEnd, now < quotaEnd { return (.waiting, .quota) }
    return (.running, nil)
  }

  /// The time before the next request may be sent.
  public func quotaWait(now: ContinuousClock.Instant) -> Duration {
    quotaEnd.map { max(.zero, $0 - now) } ?? .zero
  }

  /// Whether it has failed for a reason that may pass, so that its journal is needed.
  var mayBeResumed: Bool {
    phase == .failed && (isDeadly || reason == Self.missingDatabases)
  }

  /// Whether it has ended; a retry may still revive it.
  public var isOver: Bool { phase == .done || phase == .stopped || phase == .failed }
}

// MARK: - Commands

extension ScanLife {
  /// Executes a command.
  public mutating func take(_ command: Command) -> Answer {
    switch (command, phase) {
    case (.start, .ready), (.resume, .paused): return .done(begin())
    case (.resume, .failed) where mayBeResumed: return .done(begin())
    case (.retry, .done), (.retry, .stopped), (.retry, .failed):
      retried = retried ?? phase
      return .done(begin())
    case (.pause, .active): return .done(end(in: .paused))
    case (.stop, .active), (.stop, .paused): return .done(end(in: .stopped))
    case (.start, .active) where !isRetry, (.retry, .active) where isRetry: return .holds
    case (.resume, .active), (.pause, .paused), (.stop, .stopped): return .holds
    case (.start, _), (.pause, _), (.resume, _), (.stop, _), (.retry, _):
      return .impossible("a scan that \(phase.words) cannot be \(command.participle)")
    }
  }

  private mutating func begin() -> [Action] {
    (phase, isDeadly) = (.active, false)
    return enqueue()
  }

  private mutating func end(in phase: Phase) -> [Action] {
    self.phase = phase
    isShortOfDisk = false
    switch work {
    case .none, .halting: return []
    case .queued:
      work = .none
      return [.dequeue]
    case .running:
      work = .halting
      return [.halt]
    }
  }

  /// Queues the scan, unless it is running or short of disk space.
  private mutating func enqueue() -> [Action] {
    guard work == .none, !isShortOfDisk else { return [] }
    work = .queued
    return [.enqueue]
  }
}

// MARK: - Events

extension ScanLife {
  /// Resumes the work that a server left unfinished.
  public mutating func takeUp() -> [Action] { phase == .active ? enqueue() : [] }

  /// Processes an event and returns the actions to take.
  public mutating func take(_ event: Event) -> [Action] {
    switch event {
    case .admitted:
      if work == .queued { work = .running }
      (isOffline, quotaEnd) = (false, nil)
      return []
    case .networkLost: isOffline = true
    case .networkBack: isOffline = false
    case .quotaSpent(let end): quotaEnd = max(quotaEnd ?? end, end)
    case .diskShort: return wait()
    case .diskFree:
      isShortOfDisk = false
      return takeUp()
    case .ended(let end): return take(end)
    }
    return []
  }

  private mutating func wait() -> [Action] {
    guard phase == .active, !isShortOfDisk else { return [] }
    let actions = end(in: .active)
    isShortOfDisk = true
    return actions
  }

  private mutating func take(_ end: End) -> [Action] {
    work = .none
    (isOffline, quotaEnd) = (false, nil)
    switch end {
    case .complete: if phase != .stopped { phase = retried ?? .done }
    case .failed(let reason): fail(reason)
    case .deadly:
      fail("the server ended twice while it ran; resume it to try once more")
      isDeadly = true
    case .diskFull:
      if phase == .active { isShortOfDisk = true }
    case .halted: return takeUp()
    }
    return []
  }

  private mutating func fail(_ reason: String) {
    if phase != .stopped { (phase, self.reason) = (.failed, reason) }
  }
}

extension ScanLife.Phase {
  fileprivate var words: String {
    switch self {
    case .ready: "has not been started"
    case .active: "is under way"
    case .paused: "is paused"
    case .done: "is done"
    case .stopped: "was stopped"
    case .failed: "failed"
    }
  }
}

extension ScanLife.Command {
  fileprivate var participle: String {
    switch self {
    case .start: "started"
    case .pause: "paused"
    case .resume: "resumed"
    case .stop: "stopped"
    case .retry: "tried again"
    }
  }
}
