internal import SondeSystem

/// A source of information about the network, which can fail independently.
public enum Sense: String, Sendable, CaseIterable {
  /// Interfaces and their addresses.
  case getifaddrs
  /// Link status.
  case libpcap
  /// The kernel's notifications, which reveal changes at once.
  case notifications
  /// The interfaces of routes.
  case routes
}

/// A source that fails, and the consequence for the verdict.
public struct Degradation: Hashable, Sendable {
  /// The source.
  public var sense: Sense

  /// The missing information, in plain words.
  public var words: String

  init(_ sense: Sense) {
    self.sense = sense
    words =
      switch sense {
      case .getifaddrs: "the kernel lists no interfaces: routes and probes alone decide"
      case .libpcap: "libpcap finds no device: \(Self.withoutLibpcap)"
      case .notifications: "no notices from the kernel: changes are found by polling alone"
      case .routes: "the kernel names no route: its interface is told by the local address alone"
      }
  }

  /// Describes the consequences if libpcap cannot be loaded.
  init(missing library: LibraryError) {
    sense = .libpcap
    words = "\(library): \(Self.withoutLibpcap)"
  }

  private static let withoutLibpcap = "the kernel's flags alone tell of a link"
}
