import SondeRecords

/// The places of a slice's addresses, in order; empty if they are not needed.
struct CountedPlaces: Sendable {
  /// The place of an address.
  struct Place: Sendable {
    /// The time of its line in milliseconds since 1970 UTC, if any.
    let time: Int64?
    /// The time of its answer, if one is known of a line of the slice up to its own.
    var moment: Int64?
    /// The period of that time, once it is known; see ``setPeriods(after:_:)``.
    var period = BuildPeriod.undated
    /// Its line, from 0 in the slice; also 0 if not needed.
    let line: UInt32
    /// What the text of its line contributes to each condition; `nil` if not needed.
    let text: [FilterFindings]?
    /// The length of its packet on the wire; `nil` if it is no packet, or counted before.
    let packet: UInt64?
  }

  /// The times.
  private(set) var times: [Int64?] = []
  /// Lines, texts, packets and the rest; each list is empty until one is known.
  private var lines: [UInt32] = []
  private var texts: [[FilterFindings]?] = []
  private var packets: [UInt64?] = []
  private var moments: [Int64?] = []
  private var periods: [BuildPeriod] = []

  subscript(index: Int) -> Place {
    Place(
      time: times[index],
      moment: index < moments.count ? moments[index] : nil,
      period: index < periods.count ? periods[index] : .undated,
      line: index < lines.count ? lines[index] : 0,
      text: index < texts.count ? texts[index] : nil,
      packet: index < packets.count ? packets[index] : nil
    )
  }

  mutating func append(_ place: Place) {
    if place.line > 0 || !lines.isEmpty {
      lines += repeatElement(0, count: times.count - lines.count)
      lines.append(place.line)
    }
    if place.text != nil || !texts.isEmpty {
      texts += repeatElement(nil, count: times.count - texts.count)
      texts.append(place.text)
    }
    if place.packet != nil || !packets.isEmpty {
      packets += repeatElement(nil, count: times.count - packets.count)
      packets.append(place.packet)
    }
    if place.moment != nil || !moments.isEmpty {
      moments += repeatElement(nil, count: times.count - moments.count)
      moments.append(place.moment)
    }
    times.append(place.time)
  }

  mutating func removeFirst(_ count: Int) {
    times.removeFirst(count)
    lines.removeFirst(min(count, lines.count))
    texts.removeFirst(min(count, texts.count))
    packets.removeFirst(min(count, packets.count))
    moments.removeFirst(min(count, moments.count))
  }

  /// Sets the periods of all; `moment` holds where no time is known of a line up to an address's.
  mutating func setPeriods(after moment: Int64?, _ known: BuildPeriods) {
    periods = times.indices.map { index in
      known.period(of: (index < moments.count ? moments[index] : nil) ?? moment)
    }
  }

  mutating func setTime(of range: Range<Int>, to time: Int64?) {
    for index in range { times[index] = time }
  }
}
