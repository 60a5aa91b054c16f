package import SondeAsking
package import SondeOutputs
import SondeReport
import Synchronization

/// The events file of a server, shared by many tasks.
package final class ServerEventsFile: Sendable {
  private let file: Mutex<EventsFile?>

  /// Opens and truncates the file that the options name, if any.
  package init(_ context: Context) throws(OutputError) {
    let opened = try OutputSetup(context).events(appends: false)
    try opened?.empty()
    file = Mutex(opened)
  }

  package func write(_ event: ScanEvent) {
    file.withLock { file in
      if file != nil, let line = event.json { file?.write(line) }
    }
  }

  package var error: OutputError? { file.withLock { $0?.error } }
}
