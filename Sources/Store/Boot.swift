import Glibc

/// The machine's run since it was started.
public enum Boot {
  /// Tells one run from another; 0 where the kernel does not say
  /// (proc(5), `/proc/sys/kernel/random/boot_id`).
  public static let id: UInt64 = {
    let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { _ = close(file) }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      unsafe count = max(0, read(file, buffer.baseAddress, buffer.count))
    }
    var hash = ByteHash()
    hash.update(bytes.span)
    return hash.value
  }()
}
