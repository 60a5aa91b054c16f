import Records
import Store
import Synchronization

/// The journal of a scan under way: writes how far it is after everything that it writes.
public final class Journal: Sendable {
  private struct State {
    var entry: JournalEntry
    var number: UInt64
    /// What this run has come to.
    var counters: @Sendable () -> RunCounters = { RunCounters() }
  }

  private let file: JournalFile
  private let state: Mutex<State>
  /// What the runs before this one came to.
  public let earlier: RunCounters
  let hashes: OutputHashes

  private init(
    _ file: JournalFile,
    _ entry: JournalEntry,
    number: UInt64,
    hashes: OutputHashes = OutputHashes()
  ) {
    self.file = file
    self.hashes = hashes
    earlier = entry.counters
    state = Mutex(State(entry: entry, number: number))
  }

  /// Begins a journal.
  ///
  /// - Parameters:
  ///   - path: The journal's path, beside the output.
  ///   - fingerprint: What must be the same for this scan to be resumed.
  /// - Returns: The journal, with nothing done.
  /// - Throws: ``ResumeError`` when it cannot be made, for instance because there is one.
  public static func begin(path: String, fingerprint: String) throws(ResumeError) -> Journal {
    let file = try JournalFile(path: path, isNew: true)
    var entry = JournalEntry()
    entry.fingerprint = Self.hash(fingerprint)
    do {
      try file.write(entry, number: 1)
    } catch {
      file.remove()
      throw ResumeError("\(error)")
    }
    return Journal(file, entry, number: 1)
  }

  /// Takes up a journal, and the outputs that it tells of.
  ///
  /// - Parameters:
  ///   - path: The journal's path.
  ///   - fingerprint: What this scan is; it must be the same as at the beginning.
  ///   - inputs: The inputs, which must begin with what was read of them.
  ///   - outputs: The files of the outputs, each of which is cut to what the journal says.
  /// - Returns: The journal, and sinks that go on behind what is written.
  /// - Throws: ``ResumeError`` when that is not so.
  public static func resume(
    path: String,
    fingerprint: String,
    inputs: [Input],
    outputs: OutputPaths
  ) throws(ResumeError) -> (journal: Journal, sinks: OutputSinks) {
    let file = try JournalFile(path: path, isNew: false)
    guard let (number, entry) = file.read() else {
      throw ResumeError("\(path) is no journal, or a damaged one; remove it to begin anew")
    }
    guard entry.fingerprint == Self.hash(fingerprint) else {
      throw ResumeError("other options or inputs than those of the scan that \(path) tells of")
    }
    try entry.inputs.check(inputs)
    var hashes = OutputHashes()
    let main = try Sink.resuming(outputs.main, at: entry.main)
    hashes.main = main.hash
    var sinks = OutputSinks(main: main.sink)
    if let path = outputs.rejects {
      let rejects = try Sink.resuming(path, at: entry.rejects)
      (sinks.rejects, hashes.rejects) = (rejects.sink, rejects.hash)
    }
    if let path = outputs.missing {
      let missing = try Sink.resuming(path, at: entry.missing)
      (sinks.missing, hashes.missing) = (missing.sink, missing.hash)
    }
    return (Journal(file, entry, number: number, hashes: hashes), sinks)
  }

  /// Says where the counters of this run come from.
  public func count(_ counters: @escaping @Sendable () -> RunCounters) {
    state.withLock { $0.counters = counters }
  }

  /// Where the scan goes on.
  var entry: JournalEntry { state.withLock { $0.entry } }

  /// Writes how far the scan is.
  func record(_ note: (inout JournalEntry) -> Void) throws(OutputFailure) {
    var total = earlier
    let count = state.withLock { $0.counters }
    total += count()
    let (entry, number) = state.withLock { state in
      note(&state.entry)
      state.entry.counters = total
      state.number += 1
      return (state.entry, state.number)
    }
    try file.write(entry, number: number)
  }

  /// Ends the journal: the scan is complete.
  func finish() { file.remove() }

  private static func hash(_ text: String) -> UInt64 {
    var hash = ByteHash()
    hash.update(Array(text.utf8).span)
    return hash.value
  }
}

/// The files that a resumable scan writes.
public struct OutputPaths: Sendable {
  /// The main output.
  public var main: String
  /// The file of rejects, if there is one.
  public var rejects: String?
  /// The file of missing addresses, if there is one.
  public var missing: String?

  /// Names the files.
  public init(main: String, rejects: String?, missing: String?) {
    self.main = main
    self.rejects = rejects
    self.missing = missing
  }
}

/// Sinks for the files of ``OutputPaths``.
public struct OutputSinks: Sendable {
  /// The main output.
  public var main: Sink
  /// The file of rejects, if there is one.
  public var rejects: Sink?
  /// The file of missing addresses, if there is one.
  public var missing: Sink?

  /// Makes sinks with nothing but the main one.
  public init(main: Sink) { self.main = main }
}
