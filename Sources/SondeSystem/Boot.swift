import Glibc

/// The machine's run since it was started.
public enum Boot {
  /// Tells one run from another; 0 where the kernel does not say
  /// (proc(5), `/proc/sys/kernel/random/boot_id`).
  public static let id: UInt64 = {
    let path = "/proc/sys/kernel/random/boot_id"
    guard let file = try? Descriptor(opening: path, O_RDONLY) else { return 0 }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      unsafe count = max(0, read(file.number, buffer.baseAddress, buffer.count))
    }
    return Checksum.of(bytes.span)
  }()
}
