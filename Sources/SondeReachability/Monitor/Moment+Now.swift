import SondeSystem

extension Moment {
  package static var now: Moment { Moment(steady: Clocks.steady, wall: Clocks.wall) }
}
