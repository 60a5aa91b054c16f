extension Timestamp {
  /// The current time by the system's clock (`CLOCK_REALTIME`).
  public static var now: Timestamp {
    let (seconds, attoseconds) = Clocks.wall.components
    return Timestamp(milliseconds: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }
}
