import SondeAddresses
import SondeInputs
import SondePrivacy
import SondeRecords

/// Finds the strings in lines that are as a whole an address or a list of addresses, whatever else
/// is in the line, so that their addresses can be replaced.
struct JSONMentions {
  private let anonymizer: Anonymizer
  private let searchesInside: Bool
  private let refangs: Bool

  /// `searchesInside` is whether the decoded content of any string is searched for addresses.
  init(_ anonymizer: Anonymizer, searchesInside: Bool, refangs: Bool) {
    (self.anonymizer, self.searchesInside) = (anonymizer, searchesInside)
    self.refangs = refangs
  }

  /// The places of the addresses in lines.
  func find(in text: Span<UInt8>) -> [LineBlock.Mention] {
    var mentions: [LineBlock.Mention] = []
    var position = 0
    while let start = text.next(UInt8(ascii: "\""), from: position) {
      guard let string = text.string(behind: start) else { break }
      position = string.range.upperBound + 1
      append(string.range, isEscaped: string.isEscaped, of: text, to: &mentions)
    }
    return mentions
  }

  private func append(
    _ range: Range<Int>,
    isEscaped: Bool,
    of text: Span<UInt8>,
    to mentions: inout [LineBlock.Mention]
  ) {
    guard isEscaped else {
      guard let hosts = hosts(in: text.extracting(range)) else { return }
      for host in hosts {
        let place = host.place
        let moved = range.lowerBound + place.lowerBound..<range.lowerBound + place.upperBound
        mentions.append(LineBlock.Mention(place: moved, replacement: .address(host.address)))
      }
      return
    }
    var meaning: [UInt8] = []
    JSONCursor.Text(range: range, isEscaped: true).append(meaningIn: text, to: &meaning)
    guard let hosts = hosts(in: meaning.span) ?? hidden(in: meaning.span, text.extracting(range))
    else { return }
    mentions.append(
      LineBlock.Mention(place: range, replacement: .text(replaced(hosts, in: meaning)))
    )
  }

  /// The addresses within a decoded string, if a search of the string as it stands misses some.
  private func hidden(in meaning: Span<UInt8>, _ raw: Span<UInt8>) -> [Host]? {
    guard searchesInside else { return nil }
    var (found, plain): ([LogMatch], [LogMatch]) = ([], [])
    anonymizer.search(meaning, into: &found)
    anonymizer.search(raw, into: &plain)
    guard found.map(\.address) != plain.map(\.address) else { return nil }
    return found.map { ($0.address, $0.start..<$0.end) }
  }

  private typealias Host = (address: Address, place: Range<Int>)

  /// The decoded string with its addresses replaced, encoded again.
  private func replaced(_ hosts: [Host], in meaning: [UInt8])
    -> [UInt8]
  {
    var output: [UInt8] = []
    var position = 0
    for host in hosts {
      output += meaning[position..<host.place.lowerBound]
      anonymizer(host.address).append(to: &output)
      position = host.place.upperBound
    }
    output += meaning[position...]
    var string: [UInt8] = []
    appendJSONString(String(decoding: output, as: UTF8.self), to: &string)
    return Array(string.dropFirst().dropLast())
  }

  /// The addresses of a string that is an address or a list of these; `nil` for any other.
  private func hosts(in string: Span<UInt8>) -> [Host]? {
    var hosts: [Host] = []
    var start = 0
    while start <= string.count {
      let end = string.firstIndex(of: UInt8(ascii: ","), or: UInt8(ascii: ","), from: start)
      let item = string.extracting(start..<end)
      if let host = HostAddress(item, refangs: refangs) {
        let place = start + host.place.lowerBound..<start + host.place.upperBound
        hosts.append((host.address, place))
      } else if !item.isUnknownAddress {
        return nil
      }
      start = end + 1
    }
    return hosts.isEmpty ? nil : hosts
  }
}

extension Span<UInt8> {
  fileprivate func next(_ byte: UInt8, from start: Int) -> Int? {
    guard start <= count else { return nil }
    let found = firstIndex(of: byte, or: byte, from: start)
    return found < count ? found : nil
  }

  /// The string behind a quote, up to the next one that is not escaped, and whether it has escapes.
  ///
  /// One that no quote ends before the line does is empty, so that the next line is read from its
  /// start.
  fileprivate func string(behind quote: Int) -> (range: Range<Int>, isEscaped: Bool)? {
    var (position, isEscaped) = (quote + 1, false)
    while position < count {
      switch self[position] {
      case UInt8(ascii: "\""): return (quote + 1..<position, isEscaped)
      case UInt8(ascii: "\\"):
        isEscaped = true
        position += 2
      case 0x0a: return (position..<position, false)
      default: position += 1
      }
    }
    return nil
  }
}
