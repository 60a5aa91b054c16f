import Glibc

/// Makes a folder and those above it that are missing, for this user alone.
///
/// - Returns: The folder that could not be made, and `errno`; `nil` when all are there.
public func makePrivateFolders(_ path: String) -> (name: String, code: Int32)? {
  var made = path.hasPrefix("/") ? "/" : ""
  for name in path.split(separator: "/") {
    made += name
    if unsafe mkdir(made, 0o700) != 0, errno != EEXIST {
      let code = errno
      guard unsafe access(made, F_OK) == 0 else { return (made, code) }
    }
    made += "/"
  }
  return nil
}
