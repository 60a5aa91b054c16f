package import SondeOptions
import SondeSystem

/// The messages of the journal, which are read on a thread of their own.
package actor JournalLines {
  /// Messages that are read together.
  struct Batch: Sendable {
    var messages: [SystemdJournal.Message] = []
    /// The cursor behind which the next ones stand.
    var cursor = ""
    var leftOut = 0
  }

  private static let most = 4096
  /// The bytes of messages that are read together.
  private static let mostBytes = 1 << 20
  /// The time between two readings at least, in which messages gather.
  private static let pause = Duration.milliseconds(100)
  /// How often is looked for messages without news of them.
  private static let pace = Duration.seconds(1)
  /// How often a journal is looked for where there is none.
  private static let longPace = Duration.seconds(10)

  private let executor = BlockingExecutor(label: "sonde.journal")
  private let interrupt: WakePipe
  private let units: [String]
  private let fromStart: Bool
  private let say: @Sendable (String) -> Void
  private var journal: SystemdJournal?
  /// The cursor of the last entry that was read; `nil` before the first time.
  private var cursor: String?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates the messages that the options name; `nil` for none.
  ///
  /// `say` reports a problem.
  ///
  /// - Throws: ``LibraryError``, or ``SystemError`` if the process cannot open more files.
  package init?(_ options: GuardOptions, say: @escaping @Sendable (String) -> Void) throws {
    guard !options.journals.isEmpty else { return nil }
    try SystemdJournal.load()
    units = options.journals.contains("all") ? [] : options.journals
    (fromStart, self.say) = (options.fromStart, say)
    interrupt = try WakePipe()
  }

  /// Ends a wait.
  nonisolated func stop() { interrupt.ring() }

  /// Opens the journal behind a cursor of an earlier run; without one, at its end or beginning.
  ///
  /// - Returns: The cursor at which it begins.
  /// - Throws: What ``SystemdJournal`` does.
  func open(behind known: String?) throws -> String {
    let journal = try SystemdJournal(of: units)
    if !journal.hasFiles, self.journal == nil {
      say("--journal: there is no journal, or none that may be read; it is waited for")
    }
    self.journal = journal
    if let known {
      if !known.isEmpty, try !SystemdJournal(of: []).has(known) {
        say("--journal: the last message that was read is gone, and perhaps others behind it")
      }
      journal.seek(behind: known)
    } else if fromStart {
      journal.seekStart()
    }
    cursor = known ?? (fromStart ? "" : journal.seekEnd())
    return cursor ?? ""
  }

  /// The next messages; `nil` if there are none now.
  func next() -> Batch? {
    guard let journal else { return nil }
    var (batch, bytes, isNew) = (Batch(), 0, false)
    while batch.messages.count < Self.most, bytes < Self.mostBytes, journal.advance() {
      isNew = true
      // Alerts repeat the lines that raised them.
      guard let message = journal.message, !units.isEmpty || !message.isOwn else { continue }
      bytes += message.text.count
      if message.text.count > TextLines.longest {
        batch.leftOut += 1
      } else {
        batch.messages.append(message)
      }
    }
    guard isNew else { return nil }
    if let last = journal.cursor { cursor = last }
    batch.cursor = cursor ?? ""
    return batch
  }

  /// Waits for messages, at most for a second.
  ///
  /// - Throws: What ``SystemdJournal`` does.
  func wait() throws {
    guard let journal else { return }
    _ = interrupt.wait(for: .reading, of: -1, until: .now + Self.pause)
    let isThere = journal.hasFiles
    let deadline = ContinuousClock.now + (isThere ? Self.pace : Self.longPace)
    let wait = interrupt.wait(for: .reading, of: journal.descriptor, until: deadline)
    journal.process()
    // One that was made later is seen by a new handle.
    if !isThere, wait == .timedOut { _ = try open(behind: cursor) }
  }
}
