import SondeSetup
import SondeOutputs
import SondeRecords

/// An output of a summary; it replaces an earlier file only when it is complete.
struct SummaryFile {
  let place: Outputs.Place

  /// The new file beside the output; `nil` for stdout, a pipe or a device.
  private let replacement: FileReplacement?

  init(_ path: String, _ setup: OutputSetup) throws(OutputError) {
    let replacement = try setup.replacement(of: path)
    let sink = if let replacement { replacement.sink } else { try setup.sink(at: path) }
    let encoder = setup.mainEncoder(named: [])
    place = Outputs.Place(encoder: encoder, sink: sink, packing: setup.packing(of: path))
    self.replacement = replacement
  }

  /// Writes the summary and moves it into place; adds errors to `outcome`.
  ///
  /// A summary of incomplete inputs does not replace an earlier file, which has more data.
  func write(_ bytes: [UInt8], _ outcome: inout ScanOutcome) async {
    do throws(OutputError) {
      try await place.write(bytes)
      guard let replacement else { return }
      let isWhole = !outcome.isInterrupted && outcome.inputErrors.isEmpty
      guard isWhole || !replacement.isReplacing else {
        outcome.unfinished.append(replacement.unfinished)
        return
      }
      try replacement.commit()
    } catch {
      outcome.outputError = outcome.outputError ?? error
      leave(&outcome)
    }
  }

  /// Keeps an earlier file and records that in the outcome.
  func leave(_ outcome: inout ScanOutcome) {
    if let replacement { outcome.unfinished.append(replacement.discard()) }
  }

  func discard() { replacement?.discard() }
}
