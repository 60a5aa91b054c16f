import Glibc
import SondeInputs
package import SondeOptions
import SondeOutputs

extension ScanOutcome {
  /// Records what ended a run early.
  ///
  /// A closed stdout ends writing; waits for readers or locks abandoned at a signal are no errors.
  package mutating func note(end: ExitStatus?) {
    if end == .success {
      outputError = OutputError(name: "stdout", code: EPIPE)
    } else if outputError?.isAbandoned == true {
      (outputError, isInterrupted) = (nil, true)
    }
  }

  /// Whether the run ended because the options did not fit an input.
  package var isMisused: Bool { inputErrors.contains { $0.isMisuse } }

  /// Whether the reader of stdout, such as `head`, has closed it, so that no message is needed.
  var isSatisfied: Bool { outputError?.isClosedPipe ?? false }
}
