import SondeRecords
import SondeSystem

extension AnswerMoment {
  static var now: AnswerMoment {
    let (seconds, attoseconds) = Clocks.steady.components
    return AnswerMoment(
      seconds: Timestamp.now.seconds,
      uptime: seconds * 1000 + attoseconds / 1_000_000_000_000_000,
      boot: Int64(bitPattern: Boot.id)
    )
  }
}
