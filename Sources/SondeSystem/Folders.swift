import Glibc

/// Creates a directory and its missing parents, accessible to this user only.
///
/// - Returns: The directory that could not be created, and `errno`; `nil` if all exist.
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

/// A path without symbolic links; for a missing file, the path where it would be created.
///
/// The path is returned unchanged if the resolved one is not UTF-8.
public func resolvedPath(_ path: String) -> String {
  if let text = unsafe realpath(path, nil) {
    defer { unsafe free(text) }
    return unsafe String(validatingCString: text) ?? path
  }
  // The file is missing, but a link to it may exist.
  let missing = linkTarget(of: path) ?? path
  let folder = folder(of: missing)
  guard let text = unsafe realpath(folder.isEmpty ? "." : folder, nil) else { return missing }
  defer { unsafe free(text) }
  guard let resolved = unsafe String(validatingCString: text) else { return missing }
  return (resolved == "/" ? "" : resolved) + "/" + missing.dropFirst(folder.count)
}

/// Whether the path itself is a symbolic link, whatever its target.
public func isSymbolicLink(_ path: String) -> Bool {
  var byte = CChar(0)
  return unsafe readlink(path, &byte, 1) >= 0
}

/// The target of a symbolic link; `nil` for anything else.
private func linkTarget(of path: String) -> String? {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = unsafe readlink(path, &buffer, buffer.count)
  guard count > 0, count < buffer.count else { return nil }
  let bytes = buffer[..<count].map { UInt8(bitPattern: $0) }
  guard let target = String(validating: bytes, as: UTF8.self) else { return nil }
  return target.hasPrefix("/") ? target : folder(of: path) + target
}

/// A path up to its last slash; empty if it has none.
public func folder(of path: String) -> String {
  path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
}

/// The names in a directory, including `.` and `..`, unordered; empty if it cannot be read.
public func names(in folder: String) -> [String] {
  guard let entries = unsafe opendir(folder) else { return [] }
  defer { unsafe _ = closedir(entries) }
  var names: [String] = []
  while let entry = unsafe readdir(entries) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
      unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
    }
    names.append(name)
  }
  return names
}

/// Makes changes of a directory's entries durable; does nothing if it cannot be opened.
public func synchronizeFolder(_ folder: String) {
  guard let folder = try? Descriptor(opening: folder, O_RDONLY | O_DIRECTORY) else { return }
  fsync(folder.number)
}

/// Makes the name of a file durable.
public func synchronizeFolder(of path: String) {
  let folder = folder(of: path)
  synchronizeFolder(folder.isEmpty ? "." : folder)
}
