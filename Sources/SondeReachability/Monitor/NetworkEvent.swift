/// Something that happened to the network.
public enum NetworkEvent: Hashable, Sendable {
  /// The verdict changed, or is told for the first time.
  case network(NetworkTransition)
  /// An interface appeared, changed or went.
  case interface(InterfaceChange)
}

/// A change of one interface.
public struct InterfaceChange: Hashable, Sendable {
  /// The interface as it is now; one that is gone is down and has no addresses.
  public var interface: Interface

  /// Whether it is there no more.
  public var isGone: Bool

  /// When it was seen.
  public var at: Moment
}

extension InterfaceChange {
  /// What differs between two lists of interfaces, in the order of the newer one.
  static func all(from old: [Interface], to new: [Interface], at moment: Moment) -> [Self] {
    let changed = new.filter { !old.contains($0) }.map {
      Self(interface: $0, isGone: false, at: moment)
    }
    let names = Set(new.map(\.name))
    let gone = old.filter { !names.contains($0.name) }.map { former in
      var interface = former
      interface.isUp = false
      interface.isRunning = false
      interface.link = .unknown
      interface.addresses = []
      return Self(interface: interface, isGone: true, at: moment)
    }
    return gone + changed
  }
}
