package import SondeRecords
import SondeSystem

/// Where a followed log is kept.
package struct LogPlaceOnDisk: Sendable {
  package let id: String
  /// The name for people, which tells nothing of its folder.
  package let name: String
  /// The path of the log.
  package let path: String
  /// The path of the file in which it is kept.
  package let file: String

  package init(id: String, name: String, path: String, file: String) {
    (self.id, self.name, self.path, self.file) = (id, name, path, file)
  }
}

/// A followed log as it is now.
package struct LogInfo: Sendable {
  package let id: String
  package let name: String
  package let path: String
  /// When it was first followed, in seconds since 1970 UTC.
  package let since: Int64
  /// Whether its file is waited for.
  package var isWaiting = false
  /// Why it is waited for, or what else is wrong.
  package var detail: String?
  /// How long ago all of it had been read.
  package var behind = Duration.zero
  /// Since it was first followed.
  package var lines = 0
  package var hits = 0

  init(id: String, name: String, path: String, since: Int64) {
    (self.id, self.name, self.path, self.since) = (id, name, path, since)
  }

  /// Behind for less is not behind.
  private static let patience = Duration.seconds(1)

  /// For how many whole seconds there has been more to read.
  package var secondsBehind: Int {
    behind < Self.patience ? 0 : Int(behind.components.seconds)
  }

  /// The log as the API has it; only some may see its path.
  package func json(withPath: Bool) -> JSONObject {
    var object = JSONObject()
    object.add("id", id)
    object.add("name", name)
    if withPath { object.add("file", path) } else { object.addNull("file") }
    object.add("state", isWaiting ? "waiting" : "following")
    if let detail { object.add("detail", detail) } else { object.addNull("detail") }
    object.add("behind_seconds", secondsBehind)
    object.add("lines", lines)
    object.add("hits", hits)
    object.add("since", Timestamp(seconds: since).wholeSeconds)
    return object
  }
}

/// Whether a log's file is there, and what is wrong.
struct LogStatus {
  private(set) var isWaiting: Bool
  private(set) var detail: String?
  /// What is wrong with keeping it.
  var trouble: String?

  /// A file is waited for until it has been found; standard input is there.
  init(ofFile isFile: Bool) { isWaiting = isFile }

  mutating func found() { (isWaiting, detail) = (false, nil) }

  /// Waits for the file for a reason; returns whether that is new.
  mutating func wait(_ reason: String) -> Bool {
    defer { (isWaiting, detail) = (true, reason) }
    return !isWaiting || detail != reason
  }
}
