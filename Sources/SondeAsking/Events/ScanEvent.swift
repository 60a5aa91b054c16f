public import SondeInputs
public import SondeReachability
public import SondeRecords

/// An event of a scan, for the events file and the terminal.
public enum ScanEvent: Sendable {
  /// A source is about to send addresses to a host for the first time in the run.
  case disclosure(source: String, host: String)
  /// A provider is about to be asked for the first time in the run.
  case firstQuestion(provider: Source, host: String, isCautionDue: Bool)
  /// The state of a provider.
  public enum ProviderState: String, Sendable {
    case ok, failing, refused
  }

  /// A provider's quota permits no request for a while.
  case quota(provider: Source, wait: Duration, remaining: Int)
  /// A provider's state changed.
  case provider(Source, ProviderState, message: String)
  /// Requests to an address registry must pause for a while.
  case registryQuota(registry: String, wait: Duration, remaining: Int)
  /// The state of an address registry changed.
  case registry(String, ProviderState, message: String)
  /// IANA's registry files cannot be stored for the next run, with the reason.
  case directoriesUnkept(reason: String)
  /// A request will be retried.
  case retry(provider: String, attempt: Int, wait: Duration, message: String)
  /// The network was lost, lost for another cause, or is back.
  case network(NetworkTransition)
  /// The network cannot be watched, with the reason: only exchanges show the state of a path.
  case unwatched(reason: String)
  /// An interface changed.
  case interface(InterfaceChange)
  /// The network was lost for longer than addresses are held back.
  case gaveUpWaiting(reason: String)
  /// Another provider answers now, the preferred one or a substitute; with a message for people.
  case handover(from: String, to: String, isReturn: Bool, message: String)
  /// A provider does not support batches, and is asked about one address at a time from now on.
  case takesNoBatches(provider: Source, message: String)
  /// A UTF-16 input is converted to UTF-8 for the output.
  case converted(input: String)
  /// An input is slightly irregular; with a message for people.
  case remark(input: String, message: String)
  /// An input could not be read.
  case inputError(InputError)
}

/// Receives events as they happen, from any task.
public typealias EventHandler = @Sendable (ScanEvent) -> Void
