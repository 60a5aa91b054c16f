import Addresses
import Glibc

/// A file of given bytes in the temporary folder, removed with this object.
final class ScratchFile {
  let path: String

  init(_ bytes: [UInt8]) throws {
    path = "/tmp/sonde-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ScratchError(errno: errno) }
    defer { close(descriptor) }
    let written = unsafe bytes.withUnsafeBytes {
      unsafe write(descriptor, $0.baseAddress, $0.count)
    }
    guard written == bytes.count else { throw ScratchError(errno: errno) }
  }

  deinit {
    unsafe unlink(path)
  }
}

struct ScratchError: Error {
  let errno: Int32
}

/// The bytes of a file.
func contents(of path: String) throws -> [UInt8] {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw ScratchError(errno: errno) }
  defer { close(descriptor) }
  let size = Int(lseek(descriptor, 0, SEEK_END))
  return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    count = unsafe max(0, pread(descriptor, buffer.baseAddress, size, 0))
  }
}

/// An address as the C library reads it.
func address(_ text: String) -> Address {
  var bytes = in6_addr()
  let code = unsafe inet_pton(AF_INET6, text.contains(":") ? text : "::ffff:\(text)", &bytes)
  precondition(code == 1, "not an address: \(text)")
  return unsafe withUnsafeBytes(of: &bytes) { raw in
    unsafe Address(
      high: raw.loadUnaligned(as: UInt64.self).bigEndian,
      low: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
    )
  }
}

/// A generator of the same numbers in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
