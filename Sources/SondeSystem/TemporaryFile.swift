import Glibc

/// Files without a name, which vanish when they are closed.
public enum TemporaryFile {
  /// Creates an empty file in a folder, else in `TMPDIR`, else in `/tmp`, for reading and writing.
  public static func open(in chosen: String? = nil) throws(SystemError) -> Descriptor {
    let usual = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
    let folder = chosen ?? usual ?? ""
    let name = "sonde-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let path = (folder.isEmpty ? "/tmp" : folder) + "/" + name
    // A name that exists is an error, so that nobody can choose the file.
    let file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    _ = unsafe unlink(path)
    return file
  }
}
