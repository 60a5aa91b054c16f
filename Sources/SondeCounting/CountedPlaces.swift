import SondeRecords

/// The places of a slice's addresses, in order; empty if they are not needed.
struct CountedPlaces: Sendable {
  /// The place of an address.
  struct Place: Sendable {
    /// The time of its line in milliseconds since 1970 UTC, if any.
    let time: Int64?
    /// Its line, from 0 in the slice; also 0 if not needed.
    let line: UInt32
    /// What the text of its line contributes to each condition; `nil` if not needed.
    let text: [FilterFindings]?
    /// The length of its packet on the wire; `nil` if it is no packet, or counted before.
    let packet: UInt64?
  }

  /// The times.
  private(set) var times: [Int64?] = []
  /// Lines, texts and packets; each list is empty until one is known.
  private var lines: [UInt32] = []
  private var texts: [[FilterFindings]?] = []
  private var packets: [UInt64?] = []

  subscript(index: Int) -> Place {
    Place(
      time: times[index],
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
    times.append(place.time)
  }

  mutating func removeFirst(_ count: Int) {
    times.removeFirst(count)
    lines.removeFirst(min(count, lines.count))
    texts.removeFirst(min(count, texts.count))
    packets.removeFirst(min(count, packets.count))
  }

  mutating func setTime(of range: Range<Int>, to time: Int64?) {
    for index in range { times[index] = time }
  }
}
