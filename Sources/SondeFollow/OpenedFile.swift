import Glibc
import SondeSystem

/// A regular file that is open for reading.
struct OpenedFile: Sendable {
  /// The descriptors that logs leave for what was rotated away, for requests and for alerts.
  static let spared = 32

  private let descriptor: Descriptor

  /// Its descriptor.
  var number: Int32 { descriptor.number }

  /// Opens a file; `sparing` descriptors are left for others, or a quarter of all if that is less.
  ///
  /// - Throws: ``SystemError``.
  init(path: String, sparing: Int = 0) throws(SystemError) {
    // A pipe would be waited for.
    descriptor = try Descriptor(opening: path, Int32(O_RDONLY | O_NONBLOCK | O_NOCTTY))
    guard sparing > 0, let most = Surroundings.mostDescriptors else { return }
    if descriptor.number >= most - min(sparing, most / 4) { throw SystemError(EMFILE) }
  }

  /// What the system knows of it; `nil` if nothing.
  var status: FileStatus? { FileStatus(descriptor: descriptor.number) }

  /// Up to a number of bytes at a place; fewer at the end, and none if reading fails.
  func bytes(at offset: Int, _ count: Int) -> [UInt8] { (try? read(at: offset, count)) ?? [] }

  /// Up to a number of bytes at a place; fewer at the end.
  ///
  /// - Throws: ``SystemError``.
  func read(at offset: Int, _ count: Int) throws(SystemError) -> [UInt8] {
    guard count > 0 else { return [] }
    let number = descriptor.number
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let place = unsafe buffer.baseAddress?.advanced(by: filled)
        let read = unsafe pread(number, place, count - filled, offset + filled)
        if read < 0, errno == EINTR { continue }
        if read < 0 { failure = SystemError() }
        guard read > 0 else { return }
        filled += read
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Whether it begins with a byte-order mark of UTF-16.
  var isUTF16: Bool { [[0xff, 0xfe], [0xfe, 0xff]].contains(bytes(at: 0, 2)) }

  /// Whether it begins as a compressed file does: of gzip, zstd, xz, bzip2 or lz4.
  var isCompressed: Bool {
    let start = bytes(at: 0, 4)
    let marks: [[UInt8]] = [
      [0x1f, 0x8b], [0x28, 0xb5, 0x2f, 0xfd], [0xfd, 0x37, 0x7a, 0x58], [0x42, 0x5a, 0x68],
      [0x04, 0x22, 0x4d, 0x18],
    ]
    return marks.contains { start.starts(with: $0) }
  }
}

extension SystemError {
  /// Whether there was no descriptor for a file.
  var isOfDescriptors: Bool { code == EMFILE || code == ENFILE }
}
