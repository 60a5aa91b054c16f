import Testing
import TestSupport

@testable import SondeAddresses

@Suite struct RefangTests {
  private static func search(_ text: [UInt8], from start: Int = 0) -> [LogMatch] {
    var matches: [LogMatch] = []
    searchLog(text.span, from: start, refangs: true, into: &matches)
    return matches
  }

  private static func text(_ match: LogMatch, in line: [UInt8]) -> String {
    let zone = match.zone.map { "%" + String(decoding: line.span.zone($0), as: UTF8.self) } ?? ""
    return "\(match.address)" + zone
  }

  /// The text with plain marks, and where each of its bytes, and its end, was before: one mark after
  /// the other, by comparing strings.
  private static func slowly(_ text: [UInt8]) -> (bytes: [UInt8], places: [Int]) {
    let dots = ["[.]", "(.)", "{.}", "[dot]", "(dot)", "{dot}"]
    let marks = dots.map { ($0, ".") } + ["[:]", "(:)", "{:}"].map { ($0, ":") }
    var (bytes, places, position) = ([UInt8](), [Int](), 0)
    while position < text.count {
      places.append(position)
      let mark = marks.first { mark in
        let piece = text[position...].prefix(mark.0.utf8.count)
        return piece.elementsEqual(mark.0.utf8) {
          $0 == $1 || $0 | 0x20 == $1 && $1 > 0x60 && $1 < 0x7b
        }
      }
      bytes.append(mark?.1.utf8.first ?? text[position])
      position += mark?.0.utf8.count ?? 1
    }
    return (bytes, places + [position])
  }

  @Test func `each line gives its addresses wherever it lies in the text`() {
    var wrong: [String] = []
    let rest = Array(("\n9[.]9.9.9" + String(repeating: " x", count: 64)).utf8)
    for (line, expected) in RefangCases.all {
      let bytes = Array(line.utf8)
      let found = Self.search(bytes).map { Self.text($0, in: bytes) }
      if found != expected { wrong.append("\(line): \(found), not \(expected)") }
      for shift in 0..<70 {
        let filler: UInt8 = shift.isMultiple(of: 2) ? 0x0a : UInt8(ascii: " ")
        let text = [UInt8](repeating: filler, count: shift) + bytes + rest
        let found = Self.search(text).map { Self.text($0, in: text) }
        if found != expected + ["9.9.9.9"] { wrong.append("\(shift) \(line): \(found)") }
      }
    }
    #expect(wrong.prefix(20) == [], "\(wrong.count) differences")
    #expect(RefangCases.all.count >= 90)
  }

  @Test func `plain lines give what they give without refanging`() {
    var wrong: [String] = []
    for (line, expected) in LogSearchCases.all where RefangedText(line.utf8Span.span) == nil {
      let bytes = Array(line.utf8)
      if Self.search(bytes).map({ Self.text($0, in: bytes) }) != expected { wrong.append(line) }
    }
    #expect(wrong == [])
  }

  @Test func `matches lie where they lie in the original`() {
    let line = Array("a 10[.]0.0.1[.]443 > fe80[:]:2.https: fe80::1%e[.]1 8[dot]8.8.8:53".utf8)
    let matches = Self.search(line)
    let pieces = matches.map { String(decoding: line[$0.start..<$0.end], as: UTF8.self) }
    #expect(pieces == ["10[.]0.0.1", "fe80[:]:2", "fe80::1%e[.]1", "8[dot]8.8.8"])
    #expect(matches.map(\.insertion) == [18, 36, 51, 63])
    #expect(matches[2].zone.map { String(decoding: line[$0], as: UTF8.self) } == "e[.]1")
  }

  @Test func `any text gives what a slow reference finds`() {
    var source = LogTextSource(seed: 27)
    var generator = SeededGenerator(seed: 28)
    var wrong: [String] = []
    for _ in 0..<6_000 {
      let text = Self.defanged(source.next(), &generator)
      let (bytes, places) = Self.slowly(text)
      let refanged = RefangedText(text.span)
      if (refanged?.bytes ?? text) != bytes { wrong.append("text \(text)") }
      var plain: [LogMatch] = []
      searchLog(bytes.span, into: &plain)
      let expected = plain.map { match in
        LogMatch(
          start: places[match.start],
          end: places[match.end - 1] + Self.length(match.end - 1, places),
          address: match.address,
          zone: match.zone.map { places[$0.lowerBound]..<places[$0.upperBound] },
          insertion: places[match.insertion - 1] + Self.length(match.insertion - 1, places)
        )
      }
      if Self.search(text) != expected { wrong.append(String(decoding: text, as: UTF8.self)) }
      var (next, starts) = (0, [Int]())
      while let mark = RefangedText.nextMark(in: text.span, from: next) {
        if mark != RefangedText.nextMarkBytewise(in: text.span, from: next) { wrong.append("mark") }
        starts.append(mark.range.lowerBound)
        next = mark.range.upperBound
      }
      if let refanged {
        for (index, place) in places.enumerated() {
          if refanged.refanged(place) != index { wrong.append("place \(place)") }
          if refanged.original(index) != place { wrong.append("index \(index)") }
        }
      }
    }
    #expect(wrong.prefix(10) == [], "\(wrong.count) differences")
  }

  private static func length(_ index: Int, _ places: [Int]) -> Int {
    places[index + 1] - places[index]
  }

  /// A text some of whose marks are defanged, well or badly.
  private static func defanged(_ text: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    let dots = ["[.]", "(.)", "{.}", "[dot]", "(DOT)", "{Dot}", "[.)", "[", "[do]"].map {
      Array($0.utf8)
    }
    let colons = ["[:]", "(:)", "{:}", "[:", "(:]"].map { Array($0.utf8) }
    return text.flatMap { byte -> [UInt8] in
      guard byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":"), Bool.random(using: &generator)
      else { return [byte] }
      return (byte == UInt8(ascii: ".") ? dots : colons).randomElement(using: &generator) ?? []
    }
  }

  @Test func `text that is cut anywhere gives what it gives whole`() {
    var wrong: [String] = []
    for filler in ["\n", String(repeating: "x ", count: LogCut.reach)] {
      for (line, _) in RefangCases.all where filler == "\n" || line.utf8.count > 12 {
        let text = Array((line + filler).utf8)
        let whole = Self.search(text)
        for offset in 1..<max(2, line.utf8.count) {
          guard let cut = LogCut.first(in: text.span, at: offset, refangs: true) else { continue }
          var matches: [LogMatch] = []
          searchLog(text.span, from: 0, to: cut, refangs: true, into: &matches)
          let end = LogCut(offset: text.count, isClean: true)
          searchLog(text.span, from: cut.offset, to: end, refangs: true, into: &matches)
          if matches != whole { wrong.append("\(offset) \(line)") }
        }
      }
    }
    #expect(wrong.prefix(20) == [], "\(wrong.count) differences")
  }

  @Test func `truncated text ends before an address that may go on`() {
    for tail in ["8.8.8.8[", "8.8.8.8[.", "8.8.8.8[.]", "8.8.8[.]8", "8.8.8.8(do"] {
      let cut = LogCut.lastClean(in: Array("1.1.1.1 \(tail)".utf8).span, refangs: true)
      #expect(cut.offset == 8, "\(tail)")
    }
  }

  private static func item(_ item: String) -> String {
    let line = Array(item.utf8)
    switch ListItem.parse(line: line.span, refangs: true) {
    case .nothing: return "nothing"
    case .address(let address, let zone?):
      return "\(address)%" + String(decoding: line.span.zone(zone), as: UTF8.self)
    case .address(let address, nil): return "\(address)"
    case .range(let range): return "\(range.first)-\(range.last)"
    case .invalid(let fault): return fault.message
    }
  }

  @Test func `items of a list are read, or say what is wrong`() {
    for (item, text) in RefangCases.items {
      #expect(Self.item(item) == text)
      #expect(Self.item(text.replacing(" ", with: "")) == text)
    }
    for (item, message) in RefangCases.invalid {
      #expect(Self.item(item).hasPrefix(message), "\(item): \(Self.item(item))")
    }
  }

  @Test func `an address that is a whole text has its place in the original`() {
    let cases: [(String, Range<Int>)] = [
      (" 8[.]8[.]8[.]8 ", 1..<14), ("8[.]8.8.8[:]53", 0..<9), ("[2001[:]db8::1]:443", 1..<14),
      ("fe80[:]:1%e[.]1", 0..<15),
    ]
    for (text, place) in cases {
      #expect(HostAddress(text.utf8Span.span, refangs: true)?.place == place, "\(text)")
      #expect(HostAddress(text.utf8Span.span, refangs: false) == nil, "\(text)")
    }
  }
}
