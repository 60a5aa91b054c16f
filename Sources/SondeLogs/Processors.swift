import CSondeProcessors

/// The processors of this machine.
public enum Processors {
  /// How many this process may run on, as `taskset` or a container's CPU set allows; at least 1.
  public static var available: Int { Int(sonde_available_processors()) }
}
