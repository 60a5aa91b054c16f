/// The life of a scan: which state it is in, and what may become of it.
///
/// A pure value that receives events with their times.
public struct ScanLife: Sendable, Equatable {
  /// What a person sees.
  public enum State: String, Sendable, CaseIterable {
    case ready, running, waiting, paused, done, stopped, failed
  }

  /// What a scan waits for.
  public enum Waiting: String, Sendable, CaseIterable {
    case network, quota, queue, disk
  }

  /// What a person may ask for.
  public enum Command: String, Sendable, CaseIterable {
    case start, pause, resume, stop, retry
  }

  /// The result of a command.
  public enum Answer: Sendable, Equatable {
    case done([Action])
    /// It is so already.
    case holds
    /// It cannot be, and why.
    case impossible(String)
  }

  /// How work on a scan ended.
  public enum End: Sendable, Equatable {
    /// There is nothing left to do.
    case complete
    /// It was halted.
    case halted
    /// The disk took no more.
    case diskFull
    /// It cannot be continued, and why.
    case failed(String)
    /// The server ended twice in a row while it ran, at the same entry.
    case deadly
  }

  /// Something that happened.
  public enum Event: Sendable, Equatable {
    /// Its turn has come.
    case admitted
    case networkLost, networkBack
    /// Nothing may be sent before a moment.
    case quotaSpent(until: ContinuousClock.Instant)
    case diskShort, diskFree
    case ended(End)
  }

  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// Put it into the queue.
    case enqueue
    /// Take it out of the queue.
    case dequeue
    /// Let requests under way end, and then the work.
    case halt
  }

  /// What outlasts the server.
  public enum Phase: String, Sendable, CaseIterable {
    case ready, active, paused, done, stopped, failed
  }

  /// What is done for it at the moment.
  private enum Work: Sendable { case none, queued, running, halting }

  /// What outlasts the server.
  public private(set) var phase: Phase

  /// Why it failed, also while it asks again after that.
  private(set) var reason: String?

  /// Where it was when it first began to ask again, and will be after that.
  ///
  /// What was not read of its input is not asked. `nil` where it reads its input.
  private(set) var retried: Phase?

  /// Whether it failed because the server ended while it ran: then it can be resumed.
  private var isDeadly = false

  private var work = Work.none
  private var isOffline = false
  private var isShortOfDisk = false
  private var quotaEnd: ContinuousClock.Instant?

  /// Begins a life, or takes up one that a server has left.
  ///
  /// - Parameters:
  ///   - phase: Where it was.
  ///   - reason: Why it failed, if it did.
  ///   - retried: Where it was when it began to ask again, if it did.
  ///   - isDeadly: Whether it failed because the server ended while it ran.
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

  /// Whether it asks again for what has no good answer, rather than reads its input.
  public var isRetry: Bool { retried != nil }

  /// The state and, where that is ``State/waiting``, what for.
  public func state(now: ContinuousClock.Instant) -> (state: State, waiting: Waiting?) {
    switch phase {
    case .ready: return (.ready, nil)
    case .paused: return (.paused, nil)
    case .done: return (.done, nil)
    case .stopped: return (.stopped, nil)
    case .failed: return (.failed, nil)
    case .active: break
    }
    if isShortOfDisk { return (.waiting, .disk) }
    if work == .queued || work == .none { return (.waiting, .queue) }
    if isOffline { return (.waiting, .network) }
    if let quotaEnd, now < quotaEnd { return (.waiting, .quota) }
    return (.running, nil)
  }

  /// How long nothing may be sent.
  public func quotaWait(now: ContinuousClock.Instant) -> Duration {
    quotaEnd.map { max(.zero, $0 - now) } ?? .zero
  }

  /// Whether it is over, unless it is asked to try again.
  public var isOver: Bool {
    switch phase {
    case .done, .stopped, .failed: true
    case .ready, .active, .paused: false
    }
  }
}

// MARK: - Commands

extension ScanLife {
  /// Takes a command.
  ///
  /// - Returns: What is to be done, or that it is so already, or cannot be.
  public mutating func take(_ command: Command) -> Answer {
    switch (command, phase) {
    case (.start, .ready), (.resume, .paused): return .done(begin())
    case (.resume, .failed) where isDeadly: return .done(begin())
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

  /// Begins to wait for its turn, unless it is at work or has no room.
  private mutating func enqueue() -> [Action] {
    guard work == .none, !isShortOfDisk else { return [] }
    work = .queued
    return [.enqueue]
  }
}

// MARK: - Events

extension ScanLife {
  /// Takes up the work that a server has left.
  public mutating func takeUp() -> [Action] { phase == .active ? enqueue() : [] }

  /// Takes something that happened.
  ///
  /// - Returns: What is to be done.
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
