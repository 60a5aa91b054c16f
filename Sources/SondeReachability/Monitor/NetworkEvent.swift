/// Something that happened to the network.
public enum NetworkEvent: Hashable, Sendable {
  /// The verdict changed, or is known for the first time.
  case network(NetworkTransition)
  /// The verdict on one of several endpoints changed, or is known for the first time.
  case endpoint(NetworkTransition)
  /// An interface appeared, changed or disappeared.
  case interface(InterfaceChange)
}

/// A change of one interface.
public struct InterfaceChange: Hashable, Sendable {
  /// The current state of the interface; one that has disappeared is down and has no addresses.
  public var interface: Interface

  /// Whether the interface has disappeared.
  public var isGone: Bool

  /// When the change was seen.
  public var at: Moment
}

extension InterfaceChange {
  /// The differences between two lists of interfaces, in the order of the newer list.
  static func all(from old: [Interface], to new: [Interface], at moment: Moment) -> [Self] {
    let changed = new.filter { !old.contains($0) }.map {
      Self(interface: $0, isGone: false, at: moment)
    }
    let names = Set(new.map(\.name))
    let gone = old.filter { !names.contains($0.name) }.map { former in
      var interface = former
      (interface.isUp, interface.isRunning) = (false, false)
      (interface.link, interface.addresses) = (.unknown, [])
      return Self(interface: interface, isGone: true, at: moment)
    }
    return gone + changed
  }
}
