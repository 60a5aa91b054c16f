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

/// A path without symbolic links; of a missing file, where it would be made.
public func resolvedPath(_ path: String) -> String {
  if let text = unsafe realpath(path, nil) {
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
  // The file is missing; a link to it may be there.
  let missing = linkTarget(of: path) ?? path
  let folder = folder(of: missing)
  guard let text = unsafe realpath(folder.isEmpty ? "." : folder, nil) else { return missing }
  defer { unsafe free(text) }
  let resolved = unsafe String(cString: text)
  return (resolved == "/" ? "" : resolved) + "/" + missing.dropFirst(folder.count)
}

/// Where a symbolic link leads; `nil` for anything else.
private func linkTarget(of path: String) -> String? {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = unsafe readlink(path, &buffer, buffer.count)
  guard count > 0, count < buffer.count else { return nil }
  let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return target.hasPrefix("/") ? target : folder(of: path) + target
}

/// The part of a path up to its last slash.
private func folder(of path: String) -> String {
  path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
}
