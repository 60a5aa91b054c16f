import SondeSystem

internal import SondeSystem

/// Something that tells about the network, and can fail without the others failing.
public enum Sense: String, Sendable, CaseIterable {
  /// Interfaces and their addresses.
  case getifaddrs
  /// Link status.
  case libpcap
  /// Notifications from the kernel, which let a change be seen at once.
  case notifications
  /// The interface that the kernel would send by.
  case routes
}

/// A sense that fails, and what that means for the verdict.
public struct Degradation: Hashable, Sendable {
  /// The sense.
  public var sense: Sense

  /// What is missing, in words for a person.
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

  /// libpcap cannot be loaded.
  init(missing library: LibraryError) {
    sense = .libpcap
    words = "\(library): \(Self.withoutLibpcap)"
  }

  private static let withoutLibpcap = "the kernel's flags alone tell of a link"
}
