// The two addresses of a packet in tcpdump's output, `ADDRESS.PORT > ADDRESS.PORT:`.

extension LogRules {
  /// Appends a pair of addresses and returns where to continue; `nil` if this is no pair.
  static func pair(_ text: Span<UInt8>, _ match: LogMatch, into matches: inout [LogMatch]) -> Int? {
    let limit = min(text.count, match.end &+ LogMemory.reach)
    guard let port = endOfPort(text, from: match.end, to: limit) else { return nil }
    var position = port
    for wanted in " > ".utf8 {
      let next = LogCharacter(text, from: position, to: limit)
      guard next.byte == wanted else { return nil }
      position = next.edge
    }
    guard let second = destination(text, at: position, to: limit) else { return nil }
    matches.append(
      LogMatch(start: match.start, end: match.end, address: match.address, insertion: port)
    )
    matches.append(second)
    return second.insertion
  }

  private static func destination(_ text: Span<UInt8>, at start: Int, to limit: Int) -> LogMatch? {
    let (end, address): (Int, Address)
    if let quad = DottedQuad(text, at: start) {
      (end, address) = (quad.end, Address(ipv4: quad.number))
    } else {
      guard isInUse(text, at: start), let groupsEnd = endOfGroups(text, from: start),
        groupsEnd > start &+ 2, let groups = Address(groups: text.extracting(start..<groupsEnd))
      else { return nil }
      (end, address) = (groupsEnd, groups)
    }
    guard let port = endOfPort(text, from: end, to: limit),
      LogCharacter(text, from: port, to: limit).byte == UInt8(ascii: ":")
    else { return nil }
    return LogMatch(start: start, end: end, address: address, insertion: port)
  }

  /// The end of hexadecimal digits and colons with a dotted tail, at most as long as an address.
  private static func endOfGroups(_ text: Span<UInt8>, from start: Int) -> Int? {
    var (end, lastColon) = (start, start)
    while end &- start <= Address.longestText {
      if text.byte(end) == UInt8(ascii: ":") {
        lastColon = end
      } else if !text.byte(end).isHexDigit {
        return DottedQuad(text, at: lastColon &+ 1)?.end ?? end
      }
      end &+= 1
    }
    return nil
  }

  /// The longest service name, in characters; assigned ones have at most 15 (RFC 6335 §5.1).
  private static let longestName = 64

  /// The end of a `.` and a port: one to five digits, or a service name.
  private static func endOfPort(_ text: Span<UInt8>, from start: Int, to limit: Int) -> Int? {
    var next = LogCharacter(text, from: start, to: limit)
    guard next.byte == UInt8(ascii: ".") else { return nil }
    let first = LogCharacter(text, from: next.edge, to: limit).byte
    guard first.isDigit || first.isSmallLetter else { return nil }
    var count = 0
    while true {
      let end = next.edge
      next = LogCharacter(text, from: end, to: limit)
      guard next.byte.isDigit || !first.isDigit && next.byte.isServiceCharacter else {
        return count <= (first.isDigit ? 5 : longestName) ? end : nil
      }
      guard count <= longestName else { return nil }
      count &+= 1
    }
  }
}

extension UInt8 {
  fileprivate var isSmallLetter: Bool { self &- 0x61 < 26 }

  /// A letter or dash of a service name.
  fileprivate var isServiceCharacter: Bool { isSmallLetter || self == UInt8(ascii: "-") }
}
