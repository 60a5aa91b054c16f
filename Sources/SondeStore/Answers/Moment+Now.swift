import SondeRecords
import SondeSystem

extension Moment {
  /// The current moment.
  static var now: Moment {
    let (seconds, attoseconds) = Clocks.steady.components
    return Moment(
      seconds: Timestamp.now.seconds,
      uptime: seconds * 1000 + attoseconds / 1_000_000_000_000_000,
      boot: Int64(bitPattern: Boot.id)
    )
  }
}
