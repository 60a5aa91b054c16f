/// Why a scan cannot be resumed, or begun anew.
public struct ResumeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, for a person.
  public let description: String

  /// Whether another process is at work on the same output, so that it must not be touched.
  public internal(set) var isBusy = false

  /// Whether a file is shorter than it was.
  var isCutShort = false

  init(_ description: String) { self.description = description }
}
