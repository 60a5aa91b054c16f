public import SondeReachability

/// Metrics for Prometheus (its text format, version 0.0.4).
public enum Metrics {
  /// The media type of the text.
  public static let type = "text/plain; version=0.0.4; charset=utf-8"

  /// The metrics of the current state of the network and of its endpoints.
  public static func text(of status: NetworkStatus, endpoints: [NetworkStatus] = []) -> String {
    let endpoint = [("endpoint", status.endpoint)]
    let verdict = status.state?.verdict
    let families = [
      Family(
        name: "sonde_network_online",
        help: "Whether the path to the endpoint is open.",
        samples: verdict.map { [Sample(labels: endpoint, value: $0.isOnline ? 1 : 0)] } ?? []
      ),
      Family(
        name: "sonde_network_degraded",
        help: "Whether the path to the endpoint is open, but degraded.",
        samples: verdict.map { [Sample(labels: endpoint, value: $0.isDegraded ? 1 : 0)] } ?? []
      ),
      Family(
        name: "sonde_network_cause",
        help: "The lowest broken layer, while offline.",
        samples: OfflineCause.allCases.map { cause in
          Sample(
            labels: endpoint + [("cause", cause.rawValue)],
            value: verdict?.cause == cause ? 1 : 0
          )
        }
      ),
      Family(
        name: "sonde_network_losses_total",
        help: "How often the network was lost.",
        isCounter: true,
        samples: [Sample(labels: endpoint, value: Double(status.losses))]
      ),
      Family(
        name: "sonde_network_offline_seconds_total",
        help: "The time spent offline.",
        isCounter: true,
        samples: [Sample(labels: endpoint, value: status.offlineTime / .seconds(1))]
      ),
      Family(
        name: "sonde_endpoint_up",
        help: "Whether the endpoint is reachable.",
        samples: endpoints.compactMap { status in
          status.state.map { Sample(status, $0.verdict.isOnline ? 1 : 0) }
        }
      ),
      Family(
        name: "sonde_endpoint_connect_seconds",
        help: "The time to connect to the endpoint of the last probe that did.",
        samples: endpoints.compactMap { status in
          status.connect.map { Sample(status, $0 / .seconds(1)) }
        }
      ),
      Family(
        name: "sonde_interface_up",
        help: "Whether the interface is set up.",
        samples: status.interfaces.map { Sample($0, $0.isUp) }
      ),
      Family(
        name: "sonde_interface_link",
        help: "Whether the interface is set up and has its carrier.",
        samples: status.interfaces.map { Sample($0, $0.hasLink) }
      ),
    ]
    return families.map(\.text).joined()
  }
}

extension Metrics {
  /// A value with labels that identify it within its family.
  public struct Sample: Sendable {
    private let labels: [(name: String, value: String)]
    private let value: Double

    /// Creates a sample from a finite value and its labels, in order.
    public init(labels: [(name: String, value: String)] = [], value: Double) {
      (self.labels, self.value) = (labels, value)
    }

    fileprivate init(_ status: NetworkStatus, _ value: Double) {
      self.init(labels: [("endpoint", status.endpoint)], value: value)
    }

    fileprivate init(_ interface: Interface, _ isTrue: Bool) {
      self.init(
        labels: [("interface", interface.name), ("kind", interface.kind.rawValue)],
        value: isTrue ? 1 : 0
      )
    }

    fileprivate var text: String {
      let labels = labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
      // An integer is more readable without its fraction.
      let number = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
      return (labels.isEmpty ? "" : "{\(labels)}") + " \(number)\n"
    }

    private func escaped(_ text: String) -> String {
      text.reduce(into: "") { result, character in
        switch character {
        case "\\", "\"": result += "\\\(character)"
        case "\n": result += "\\n"
        default: result.append(character)
        }
      }
    }
  }

  /// A family of samples.
  public struct Family: Sendable {
    private let name: String
    private let help: String
    private let isCounter: Bool
    private let samples: [Sample]

    /// Creates a family, which is omitted without samples; the values of a counter never decrease.
    public init(name: String, help: String, isCounter: Bool = false, samples: [Sample]) {
      (self.name, self.help, self.isCounter, self.samples) = (name, help, isCounter, samples)
    }

    /// The text of the family.
    public var text: String {
      guard !samples.isEmpty else { return "" }
      return "# HELP \(name) \(help)\n# TYPE \(name) \(isCounter ? "counter" : "gauge")\n"
        + samples.map { name + $0.text }.joined()
    }
  }
}
