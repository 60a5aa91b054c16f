import SondeOutputs
import SondeRecords

/// An output of a summary: an earlier file is replaced only by one that is whole.
struct SummaryFile {
  /// Takes the bytes.
  let place: Outputs.Place

  /// The file beside the output; `nil` where that is stdout, a pipe or a device.
  private let replacement: FileReplacement?

  /// Opens an output.
  ///
  /// - Parameters:
  ///   - path: Its file; `-` is stdout.
  ///   - setup: The options.
  /// - Throws: ``OutputError`` when it cannot be opened.
  init(_ path: String, _ setup: OutputSetup) throws(OutputError) {
    let replacement = try setup.replacement(of: path)
    let sink = if let replacement { replacement.sink } else { try setup.sink(at: path) }
    let encoder = setup.mainEncoder(named: [])
    place = Outputs.Place(encoder: encoder, sink: sink, packing: setup.packing(of: path))
    self.replacement = replacement
  }

  /// Writes the summary, and puts it in its place.
  ///
  /// One of less than the whole inputs does not replace an earlier file, which tells more.
  ///
  /// - Parameters:
  ///   - bytes: The summary.
  ///   - outcome: How the run ended; takes note of how this did.
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

  /// Leaves an earlier file as it was, and takes note of that.
  func leave(_ outcome: inout ScanOutcome) {
    if let replacement { outcome.unfinished.append(replacement.discard()) }
  }

  /// Takes away what was opened.
  func discard() { replacement?.discard() }
}
