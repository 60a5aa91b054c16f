package import SondeOptions
import SondeOutputs

/// stdout for commands that print one text.
package enum StandardOutput {
  /// Writes a text; a closed pipe is no error.
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
