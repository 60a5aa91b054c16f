import SondeSystem

extension Moment {
  static var now: Moment { Moment(steady: Clocks.steady, wall: Clocks.wall) }
}
