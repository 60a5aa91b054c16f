import CSondeProcessors

/// The processors of this machine.
public enum Processors {
  /// The number that `taskset` or a container's CPU set allows to this process; at least 1.
  public static var available: Int { Int(sonde_available_processors()) }
}
