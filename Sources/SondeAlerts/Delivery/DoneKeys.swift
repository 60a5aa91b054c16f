import Glibc
import SondeSystem

/// The keys of the last alerts that a queue is done with, in a file that grows by a line for each.
///
/// A program that is killed before it notes that it has handed alerts over hands them over again:
/// those that were delivered in between are known by their keys. A key that could not be noted, or
/// that a power failure took back, costs no more than a second delivery.
struct DoneKeys: Sendable {
  /// The number of keys that are certainly kept: as many as can wait, and be handed over again.
  static let most = AlertStore.most

  /// The bytes of a key and its line end.
  private static let width = 33

  let path: String

  /// Notes that the queue is done with an alert.
  func add(_ key: String) {
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW
    guard let file = try? Descriptor(opening: path, flags, mode: 0o600) else { return }
    try? file.write(key + "\n")
    let size = FileStatus(descriptor: file.number)?.size ?? 0
    if size >= 2 * Self.most * Self.width { shorten() }
  }

  /// The last keys, at least those that are certainly kept.
  func all() -> Set<String> { Set(last() ?? []) }

  /// The last keys in order, of a file of any length; `nil` if it cannot be read.
  private func last() -> [String]? {
    guard let file = try? Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      let size = FileStatus(descriptor: file.number)?.size
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: 2 * Self.most * Self.width)
    let start = max(0, Int(size) - bytes.count)
    let count = unsafe pread(file.number, &bytes, bytes.count, start)
    guard count >= 0 else { return nil }
    return bytes.prefix(count).split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
      .filter(AlertName.isKey)
  }

  private func shorten() {
    guard let kept = last()?.suffix(Self.most) else { return }
    try? WholeFile(path: path).write(Array(kept.map { $0 + "\n" }.joined().utf8))
  }
}
