import SondeRecords
import SondeSummary
import SondeSystem

/// What was seen of an endpoint within a span; all times are milliseconds.
package struct OutageSummary: Sendable, Equatable {
  /// The outages of one cause.
  package struct Cause: Sendable, Equatable {
    package var name: String
    package var outages = 0
    package var offline: Int64 = 0
  }

  /// An hour of the day.
  package struct Hour: Sendable, Equatable {
    /// The outages that began in it.
    package var outages = 0
    package var offline: Int64 = 0
  }

  package let endpoint: String
  package private(set) var watched: Int64 = 0
  package private(set) var offline: Int64 = 0
  package private(set) var degraded: Int64 = 0

  /// The number of times offline that touch the span.
  package private(set) var outages = 0

  /// The longest time offline; `nil` without one.
  package private(set) var longest: Int64?

  /// In order: the most outages first.
  package private(set) var causes: [Cause] = []

  /// The 24 hours of the day in the zone.
  package private(set) var hours = Array(repeating: Hour(), count: 24)

  /// The share of the watched time in which it was not offline; `nil` where nothing was watched.
  package var availability: Double? {
    watched == 0 ? nil : 1 - Double(offline) / Double(watched)
  }

  /// The mean time offline, rounded; `nil` without one.
  package var mean: Int64? { outages == 0 ? nil : (offline + Int64(outages) / 2) / Int64(outages) }

  /// Counts the stretches of one endpoint.
  init(
    _ endpoint: String,
    _ stretches: [WatchedStretch],
    in span: Range<Int64>,
    zone: TimeZoneRules
  ) {
    self.endpoint = endpoint
    for stretch in stretches {
      let part = stretch.clipped(to: span)
      watched += Int64(part.count)
      switch stretch.state {
      case .online: break
      case .degraded: degraded += Int64(part.count)
      case .offline: if !part.isEmpty { count(stretch, part, zone) }
      }
    }
    causes.sort { left, right in
      (right.outages, right.offline, left.name) < (left.outages, left.offline, right.name)
    }
  }

  private mutating func count(
    _ stretch: WatchedStretch,
    _ part: Range<Int64>,
    _ zone: TimeZoneRules
  ) {
    let length = Int64(part.count)
    outages += 1
    offline += length
    longest = max(longest ?? 0, length)
    let name = stretch.cause ?? ""
    let index =
      causes.firstIndex { $0.name == name }
      ?? {
        causes.append(Cause(name: name))
        return causes.count - 1
      }()
    causes[index].outages += 1
    causes[index].offline += length
    if part.lowerBound == stretch.start {
      hours[zone.hour(at: part.lowerBound).ofDay].outages += 1
    }
    var moment = part.lowerBound
    while moment < part.upperBound {
      let hour = zone.hour(at: moment)
      let end = min(hour.end, part.upperBound)
      hours[hour.ofDay].offline += end - moment
      moment = end
    }
  }
}
