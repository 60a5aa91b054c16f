import SondeSystem

extension Moment {
  /// The current moment.
  static var now: Moment { Moment(steady: Clocks.steady, wall: Clocks.wall) }
}
