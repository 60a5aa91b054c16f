package import SondeOptions
import SondeOutputs

/// stdout for the commands that print a text and are done.
package enum StandardOutput {
  /// Writes a text; a reader that has gone is satisfied.
  package static func write(_ text: String) async -> ExitStatus {
    do throws(OutputError) {
      try await Sink(interruption: Signals.interruption).write(Array(text.utf8))
      return .success
    } catch {
      guard !error.isClosedPipe, !error.isAbandoned else { return .success }
      Diagnostics().error("\(error)")
      return .inputOutput
    }
  }
}
