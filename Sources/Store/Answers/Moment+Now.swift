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
      boot: Int64(bitPattern: Boot.id)
    )
  }
}
