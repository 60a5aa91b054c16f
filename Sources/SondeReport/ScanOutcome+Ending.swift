import Glibc
import SondeInputs
package import SondeOptions
import SondeOutputs

extension ScanOutcome {
  /// Notes what ended a run early: that nobody reads stdout any more is how its writing ended, and
  /// a reader or a lock that was not waited for after a signal is no fault.
  package mutating func note(end: ExitStatus?) {
    if end == .success {
      outputError = OutputError(name: "stdout", code: EPIPE)
    } else if outputError?.isAbandoned == true {
      (outputError, isInterrupted) = (nil, true)
    }
  }

  /// Whether the options did not fit an input, which ended the run.
  package var isMisused: Bool { inputErrors.contains { $0.isMisuse } }

  /// Whether the reader of stdout has seen enough, as `| head` has, and nothing more is to be said.
  var isSatisfied: Bool { outputError?.isClosedPipe ?? false }
}
