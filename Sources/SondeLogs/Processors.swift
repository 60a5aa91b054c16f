import CSondeProcessors

/// The processors of this machine.
public enum Processors {
  /// The number available to this process, as limited by `taskset` or a container's CPU set; at
  /// least 1.
  public static var available: Int { Int(sonde_available_processors()) }
}
