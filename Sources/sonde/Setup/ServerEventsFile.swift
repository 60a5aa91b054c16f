import SondeAsking
import SondeOutputs
import SondeReport
import Synchronization

/// The file of events of a server, which many tasks write to.
final class ServerEventsFile: Sendable {
  private let file: Mutex<EventsFile?>

  /// Opens the file that the options name, if they name one, and empties it.
  ///
  /// - Throws: ``OutputError``.
  init(_ context: Context) throws(OutputError) {
    let opened = try OutputSetup(context).events(appends: false)
    try opened?.empty()
    file = Mutex(opened)
  }

  /// Appends an event.
  func write(_ event: ScanEvent) {
    file.withLock { file in
      if file != nil, let line = event.json { file?.write(line) }
    }
  }

  /// Why an event could not be written.
  var error: OutputError? { file.withLock { $0?.error } }
}
