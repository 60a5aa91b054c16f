import Glibc

/// The current run of the machine since it was booted.
public enum Boot {
  /// An identifier of this run; 0 if the kernel provides none (proc(5),
  /// `/proc/sys/kernel/random/boot_id`).
  public static let id: UInt64 = {
    let path = "/proc/sys/kernel/random/boot_id"
    guard let file = try? Descriptor(opening: path, O_RDONLY) else { return 0 }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      unsafe count = max(0, read(file.number, buffer.baseAddress, buffer.count))
    }
    return Checksum.of(bytes.span)
  }()
}
