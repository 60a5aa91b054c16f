import Glibc
package import SondeInputs

/// The progress line, redrawn while a scan runs.
package enum ProgressDisplay {
  /// Runs `work` and shows its progress, if enabled.
  ///
  /// Nothing is drawn if a person types one of the `inputs`.
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
