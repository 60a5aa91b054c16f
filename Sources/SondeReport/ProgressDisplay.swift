import Glibc
package import SondeInputs

/// The progress line, redrawn while a scan runs.
package enum ProgressDisplay {
  /// Runs `work` while its progress is shown, if it is to be shown.
  ///
  /// - Parameters:
  ///   - inputs: What is read: where a person types it, nothing is drawn over that.
  ///   - console: Where to show it.
  ///   - progress: What to show now.
  ///   - work: What runs meanwhile.
  /// - Returns: What `work` returned.
  package static func showing<Result: Sendable>(
    of inputs: [Input],
    on console: Console,
    _ progress: @escaping @Sendable () -> ProgressText,
    while work: @escaping @Sendable () async -> Result
  ) async -> Result {
    let isTyped = inputs.contains(.standardInput) && isatty(STDIN_FILENO) == 1
    guard console.progress != .none, !isTyped else { return await work() }
    let display = Task {
      while (try? await Task.sleep(for: console.pace)) != nil { console.show(progress()) }
    }
    let result = await work()
    display.cancel()
    await display.value
    console.endProgress()
    return result
  }
}
