package import SondeOutputs

/// A run in stages (read, ask, write) whose work is done by tasks, and whose state changes only
/// between tasks.
package protocol StagedRun {
  associatedtype Step: Sendable

  /// Whether everything was read, answered and written.
  var isOver: Bool { get }

  /// Whether running work is finished after a halt; otherwise it is cancelled.
  var finishesWork: Bool { get }

  /// Whether nothing more is started after the result of a task, as after a cancellation.
  func isHalted(by step: Step) -> Bool

  /// Starts all tasks that may run.
  mutating func start(in group: inout TaskGroup<Step>)

  mutating func take(_ step: Step) async

  func show()

  /// Writes what is due.
  mutating func write() async throws(OutputError)

  /// Sends no more requests.
  func stopAsking()

  /// Ends what still runs when the run is over.
  func windUp(_ group: inout TaskGroup<Step>)
}

extension StagedRun {
  /// Runs tasks until there are no more; returns whether it was halted before its end.
  ///
  /// When it throws, all tasks have ended, too.
  package mutating func move() async throws(OutputError) -> Bool {
    let end = await withTaskGroup(of: Step.self) { group -> Result<Bool, OutputError> in
      var isHalted = false
      start(in: &group)
      while let step = await group.next() {
        await take(step)
        if self.isHalted(by: step) {
          isHalted = true
          if !finishesWork { group.cancelAll() }
        }
        // Running work is finished, and its results are written at the end.
        if isHalted { continue }
        show()
        // Before writing, so that other tasks work meanwhile.
        start(in: &group)
        do throws(OutputError) {
          try await write()
        } catch {
          stopAsking()
          group.cancelAll()
          return .failure(error)
        }
        // Written entries make space for more.
        if isOver { windUp(&group) } else { start(in: &group) }
        show()
      }
      return .success(isHalted)
    }
    return try end.get()
  }
}
