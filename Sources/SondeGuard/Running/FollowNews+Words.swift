import SondeFollow
import SondeSystem

extension FollowNews {
  /// Whether a file is not followed for now.
  var isOfUnreadable: Bool {
    switch self {
    case .unreadable, .full, .wide: true
    case .lost, .missing, .compressed: false
    }
  }

  /// For a person.
  var words: String {
    switch self {
    case .lost(let path, let offset):
      "\(escapedForPerson(path)): what was behind byte \(offset) is gone or compressed"
    case .unreadable(let path, let reason):
      "\(escapedForPerson(path)): \(reason); it is tried again"
    case .missing(let name): "\(escapedForPerson(name)): there is no such file yet"
    case .full(let reason):
      "some files cannot be followed: \(reason); they are tried again"
    case .wide(let path):
      "\(escapedForPerson(path)): UTF-16 is not followed; --replay reads it"
    case .compressed(let path):
      "\(escapedForPerson(path)): compressed files are not followed; --replay reads them"
    }
  }
}
