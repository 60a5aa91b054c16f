import SondeSystem

extension Moment {
  /// This moment.
  static var now: Moment { Moment(steady: Clocks.steady, wall: Clocks.wall) }
}
