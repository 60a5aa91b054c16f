import SondeAddresses
import SondeInputs
import SondePrivacy

extension LineBlock {
  /// Replaces all addresses in the bytes that log mode or the style finds, without their zones, and
  /// moves lines and insertions accordingly.
  mutating func replaceAddresses(by anonymizer: Anonymizer) {
    var matches: [LogMatch] = []
    swap(&matches, &self.matches)
    if refangsMatches != anonymizer.refangs {
      matches.removeAll(keepingCapacity: true)
      anonymizer.search(bytes.span, into: &matches)
    }
    replace(mentions.isEmpty ? matches.map(Place.init) : places(of: matches), by: anonymizer)
    mentions.removeAll()
    refangsMatches = nil
    if matches.count < Self.usualMatches { swap(&matches, &self.matches) }
  }

  /// The largest number of matches whose buffer is kept.
  static let usualMatches = 1 << 16

  /// The largest buffer of bytes that is kept, which is more than most blocks have.
  private static let usualBytes = 1 << 20

  /// Cuts off the last word of a line that is broken off, which may be a part of an address.
  mutating func dropLastWord() {
    let end = bytes.lastIndex { " \t\",;\n".utf8.contains($0) }.map { $0 + 1 } ?? 0
    bytes.removeLast(bytes.count - end)
  }

  private struct Place {
    let place: Range<Int>
    let address: Address
    /// The number of the mention whose text stands for it; `nil` if the address is replaced.
    var text: Int?

    init(_ match: LogMatch) { (place, address) = (match.start..<match.end, match.address) }

    init(_ mention: Mention, number: Int) {
      place = mention.place
      switch mention.replacement {
      case .address(let address): self.address = address
      case .text: (address, text) = (Address(high: 0, low: 0), number)
      }
    }
  }

  /// The places to replace, in order; a mention stands for matches that overlap it.
  private func places(of matches: [LogMatch]) -> [Place] {
    var places: [Place] = []
    places.reserveCapacity(matches.count + mentions.count)
    var next = 0
    for (number, mention) in mentions.enumerated() {
      while next < matches.count, matches[next].end <= mention.place.lowerBound {
        places.append(Place(matches[next]))
        next += 1
      }
      while next < matches.count, matches[next].start < mention.place.upperBound { next += 1 }
      places.append(Place(mention, number: number))
    }
    return places + matches[next...].map(Place.init)
  }

  private mutating func replace(_ places: [Place], by anonymizer: Anonymizer) {
    guard !places.isEmpty else { return }
    var addresses = places.map(\.address)
    anonymizer.replace(&addresses)
    var moves = OffsetMoves(expecting: places.count)
    var output: [UInt8] = []
    swap(&output, &spare)
    output.removeAll(keepingCapacity: true)
    output.reserveCapacity(bytes.count + bytes.count / 8)
    var position = 0
    for index in places.indices {
      let place = places[index].place
      output.append(copying: bytes.span.extracting(position..<place.lowerBound))
      if let text = places[index].text, case .text(let words) = mentions[text].replacement {
        output += words
      } else {
        addresses[index].append(to: &output)
      }
      position = place.upperBound
      moves.append(place, movesEndTo: output.count)
    }
    output.append(copying: bytes.span.extracting(position...))
    swap(&bytes, &output)
    if output.capacity < Self.usualBytes { spare = output }
    move(by: moves)
  }

  private mutating func move(by moves: OffsetMoves) {
    var cursor = 0
    for index in insertions.indices {
      insertions[index].offset = moves.moved(insertions[index].offset, &cursor)
    }
    var (starts, ends) = (0, 0)
    for index in lines.indices {
      lines[index].start = moves.moved(lines[index].start, &starts)
      lines[index].end = moves.moved(lines[index].end, &ends)
    }
  }
}

/// How far offsets move when parts of a text are replaced.
private struct OffsetMoves {
  private var places: [(start: UInt32, end: UInt32, shift: Int)] = []

  init(expecting count: Int) { places.reserveCapacity(count) }

  mutating func append(_ place: Range<Int>, movesEndTo end: Int) {
    places.append(
      (UInt32(place.lowerBound), UInt32(place.upperBound), end - place.upperBound)
    )
  }

  /// The new offset; `cursor` starts at 0 for a series of ascending offsets.
  ///
  /// An offset within a replaced part becomes its end.
  func moved(_ offset: UInt32, _ cursor: inout Int) -> UInt32 {
    while cursor < places.count, places[cursor].end <= offset { cursor += 1 }
    if cursor < places.count, places[cursor].start < offset {
      return UInt32(Int(places[cursor].end) + places[cursor].shift)
    }
    return UInt32(Int(offset) + (cursor > 0 ? places[cursor - 1].shift : 0))
  }
}
