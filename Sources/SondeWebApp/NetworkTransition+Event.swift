public import SondeReachability
public import SondeWeb

extension NetworkTransition {
  /// The event `network` for pages, with `state` (`online`, `degraded` or `offline`), `cause`, `interface`, and
  /// `since`, in milliseconds since 1970.
  public var serverEvent: ServerEvent {
    let members: JSON = [
      "state": .string(verdict.state), "cause": JSON(verdict.causeName),
      "interface": JSON(interface), "since": .integer(Int64(began.wall / .milliseconds(1))),
    ]
    return ServerEvent("network", members)
  }
}
