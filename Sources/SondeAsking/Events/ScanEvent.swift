public import SondeInputs
public import SondeReachability
public import SondeRecords

/// Something that happened in a scan, for the events file and for the person at the terminal.
public enum ScanEvent: Sendable {
  /// A provider is about to be asked for the first time in the run.
  case firstQuestion(provider: Source, host: String, isCautionDue: Bool)
  /// How a provider is.
  public enum ProviderState: String, Sendable {
    case ok, failing, refused
  }

  /// Nothing may be sent for a while.
  case quota(provider: Source, wait: Duration, remaining: Int)
  /// A provider's state changed.
  case provider(Source, ProviderState, message: String)
  /// A registry of addresses may not be asked for a while.
  case registryQuota(registry: String, wait: Duration, remaining: Int)
  /// The state of a registry of addresses changed.
  case registry(String, ProviderState, message: String)
  /// IANA's lists of the registries of addresses cannot be kept for the next run, and why.
  case directoriesUnkept(reason: String)
  /// A request will be tried again.
  case retry(provider: String, attempt: Int, wait: Duration, message: String)
  /// The network was lost, lost in another way, or is back.
  case network(NetworkTransition)
  /// The network cannot be watched, and why: exchanges alone tell how the path to a provider is.
  case unwatched(reason: String)
  /// An interface changed.
  case interface(InterfaceChange)
  /// The network was lost for longer than addresses are held back for.
  case gaveUpWaiting(reason: String)
  /// Another provider answers from here on, the preferred one again or one in its place; as a person
  /// is told it.
  case handover(from: String, to: String, isReturn: Bool, message: String)
  /// A provider is asked one address at a time from here on, because it has no batches.
  case takesNoBatches(provider: Source, message: String)
  /// An input is UTF-16, and what is written of it UTF-8.
  case converted(input: String)
  /// An input is not quite what it should be; as a person is told it.
  case remark(input: String, message: String)
  /// An input could not be read.
  case inputError(InputError)
}

/// Takes events as they happen, from any task.
public typealias EventHandler = @Sendable (ScanEvent) -> Void
