import Glibc
import Records

extension Moment {
  /// The present moment.
  static var now: Moment {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Moment(
      seconds: Timestamp.now.seconds,
      uptime: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000,
      boot: thisBoot
    )
  }

  /// A hash of the kernel's random number for this start of the machine (random(4)).
  private static let thisBoot: Int64 = {
    let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 36)
    guard unsafe read(descriptor, &bytes, bytes.count) == bytes.count else { return 0 }
    var hash = ByteHash()
    hash.update(bytes.span)
    return Int64(bitPattern: hash.value)
  }()
}
