import SondeOptions
import SondeOutputs
import SondePrivacy
import SondeSystem

/// The database files that a resumed scan may read: those that it began with.
///
/// Files that were added meanwhile, to a directory of `--database` or by `sonde tables update`, are
/// for the next scan; a file that is gone makes another scan of it, which the journal refuses.
struct DatabaseFiles {
  /// What stands for no file in a journal, where an earlier version wrote nothing.
  static let none = "none"

  /// The files as the journal names them; `nil` if all may be read.
  private let begun: String?
  private let replace: (String) -> String

  /// Reads the journal of a scan that is resumed.
  init(_ context: Context) {
    let options = context.options
    replace = { [anonymizer = context.anonymizer] in anonymizer?.text($0) ?? $0 }
    guard context.command == .scan, options.resume, let output = options.output else {
      begun = nil
      return
    }
    let value = Journal.value(of: "database", in: Journal.path(of: output))
    begun = value.flatMap { $0.isEmpty ? nil : ",\($0)," }
  }

  /// Whether not all may be read.
  var areChosen: Bool { begun != nil }

  /// Whether a file may be read.
  func mayBeRead(_ path: String) -> Bool {
    begun?.contains(",\(replace(Self.spelling(of: [path])))," as String) ?? true
  }

  /// Files in one spelling for the journal.
  static func spelling(of paths: [String]) -> String {
    paths.map(resolvedPath).joined(separator: ",")
  }
}
