package import SondeAddresses
package import SondeInputs
package import SondeRecords

/// Drops the addresses of lines that `--pick` does not choose.
///
/// It is used for one text at a time, in order; the columns that its lines name hold for the next.
public struct LinePicker: Sendable {
  package let pick: Pick
  private let findings: PickFindings
  private let name: [UInt8]
  /// The path to the value in JSON, by the names of its members; `nil` if the name is none.
  private let path: [[UInt8]]?
  private var row = JSONRow()
  package private(set) var columns = NamedColumns()

  package init(_ pick: Pick, _ findings: PickFindings, below columns: NamedColumns = NamedColumns())
  {
    (self.pick, self.findings, self.columns) = (pick, findings, columns)
    name = Array((pick.name ?? "").utf8)
    path = pick.name.flatMap(Self.path(of:))
  }

  /// The same for text below these columns.
  package func below(_ columns: NamedColumns) -> LinePicker {
    var picker = self
    picker.columns = columns
    return picker
  }

  /// Whether the columns that the text names matter.
  package var needsColumns: Bool { pick.name != nil }

  /// Drops what is not picked among the addresses of whole lines.
  package mutating func pick(
    _ matches: inout [LogMatch],
    of text: Span<UInt8>,
    in lines: Range<Int>
  ) {
    guard pick.name != nil else { return pickByPlace(&matches, of: text) }
    var kept: [LogMatch] = []
    var (next, start) = (0, lines.lowerBound)
    while start < lines.upperBound {
      let end = min(text.firstNewline(from: start) ?? lines.upperBound, lines.upperBound)
      let first = next
      while next < matches.count, matches[next].start < end { next += 1 }
      take(first..<next, of: matches, in: text, line: start..<end, into: &kept)
      start = end + 1
    }
    matches = kept
  }

  /// Keeps one address of each line; only the text between two addresses is searched for its end.
  private func pickByPlace(_ matches: inout [LogMatch], of text: Span<UInt8>) {
    var (kept, next) = (0, 0)
    while next < matches.count {
      let first = next
      repeat {
        next += 1
      } while next < matches.count
        && !text.hasNewline(between: matches[next - 1], and: matches[next])
      guard let chosen = choice(among: first..<next, of: matches) else { continue }
      if kept < chosen { matches[kept] = matches[chosen] }
      kept += 1
    }
    matches.removeLast(matches.count - kept)
  }

  /// The one that its place in the line picks; `nil` if none is.
  private func choice(among line: Range<Int>, of matches: [LogMatch]) -> Int? {
    switch pick.place {
    // All are of a name alone.
    case .all, .first: line.first
    case .last: line.last
    case .open: line.first { matches[$0].address.specialPurpose == nil }
    }
  }

  /// Keeps what is picked among the matches of a line.
  private mutating func take(
    _ found: Range<Int>,
    of matches: [LogMatch],
    in text: Span<UInt8>,
    line: Range<Int>,
    into kept: inout [LogMatch]
  ) {
    let line = text.content(ofLine: line)
    guard !line.isEmpty else { return }
    let content = text.extracting(line)
    if content[0] == UInt8(ascii: "#"), columns.read(content) || columns.header != nil { return }
    // A line without addresses matters only until it is known that the name exists.
    guard !found.isEmpty || !findings.hasName else { return }
    guard let value = value(in: content) else { return }
    findings.foundName()
    let range = value.lowerBound + line.lowerBound..<value.upperBound + line.lowerBound
    var (first, end) = (found.lowerBound, found.upperBound)
    while first < end, matches[first].start < range.lowerBound { first += 1 }
    while first < end, matches[end - 1].end > range.upperBound { end -= 1 }
    guard pick.place != .all else {
      kept += matches[first..<end]
      return
    }
    if let chosen = choice(among: first..<end, of: matches) { kept.append(matches[chosen]) }
  }

  /// The value of the name in a line of JSON; `nil` if it has none.
  package mutating func named(in line: Span<UInt8>) -> Range<Int>? {
    let start = line.startsWithByteOrderMark ? 3 : 0
    let end = line.withoutLineEnd
    guard start < end, row.read(line, from: line.behindJSONSpace(from: start)) == .whole,
      let value = valueOfJSON(in: line)
    else { return nil }
    findings.foundName()
    return value
  }

  /// The value of the name in a line; `nil` if there is none.
  private mutating func value(in line: Span<UInt8>) -> Range<Int>? {
    let start = line.behindJSONSpace(from: 0)
    if start < line.count, line[start] == UInt8(ascii: "{"), row.read(line, from: start) == .whole,
      line.behindJSONSpace(from: row.end) == line.count
    {
      return valueOfJSON(in: line)
    }
    if let header = columns.header {
      guard let column = header.names.firstIndex(of: pick.name ?? "") else {
        findings.note(header.names)
        return nil
      }
      return header.value(column, of: line)
    }
    return line.value(of: name, findings)
  }
}

/// The columns that a file has named so far.
package struct NamedColumns: Sendable, Equatable {
  package init() {}

  private(set) var header: ColumnHeader?
  private var separator: UInt8?

  /// Reads a line that begins with `#`; returns whether it says anything of columns.
  @discardableResult
  mutating func read(_ line: Span<UInt8>) -> Bool {
    if let header = ColumnHeader(line, zeek: separator) {
      self.header = header
    } else if let separator = ColumnHeader.separator(line) {
      self.separator = separator
    } else {
      return false
    }
    return true
  }

  /// Reads the lines of a text that begin with `#`; `note` gets the offset of each that changes the
  /// columns.
  package mutating func readAll(
    _ text: Span<UInt8>,
    in lines: Range<Int>,
    note: (Int, NamedColumns) -> Void = { _, _ in }
  ) {
    var start = lines.lowerBound
    while start < lines.upperBound {
      let end = min(text.firstNewline(from: start) ?? lines.upperBound, lines.upperBound)
      let line = text.content(ofLine: start..<end)
      if !line.isEmpty, text[line.lowerBound] == UInt8(ascii: "#") {
        let before = self
        read(text.extracting(line))
        if self != before { note(start, self) }
      }
      start = end + 1
    }
  }
}

// MARK: - JSON

extension LinePicker {
  /// The value of the name in the object just read.
  ///
  /// The member called so, or the one at the path that a dotted name is, or of a JSON Pointer (RFC
  /// 6901). Of doubled members the last counts.
  private mutating func valueOfJSON(in line: Span<UInt8>) -> Range<Int>? {
    if path == nil || !isPointer, let value = member(name, in: line) { return value }
    guard let path else {
      noteMembers(of: line)
      return nil
    }
    return value(at: path, in: line)
  }

  private var isPointer: Bool { name.first == UInt8(ascii: "/") }

  /// The path that a name is: a JSON Pointer, in which `~1` is a slash and `~0` a tilde, or names
  /// with dots between them.
  private static func path(of name: String) -> [[UInt8]]? {
    if name.hasPrefix("/") {
      return name.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
        Array($0.replacing("~1", with: "/").replacing("~0", with: "~").utf8)
      }
    }
    guard name.contains(".") else { return nil }
    return name.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
  }

  private mutating func value(at steps: [[UInt8]], in line: Span<UInt8>) -> Range<Int>? {
    var value: Range<Int>?
    for (depth, step) in steps.enumerated() {
      if depth > 0 {
        guard let place = value?.lowerBound else { return nil }
        if line[place] == UInt8(ascii: "[") {
          let number = String(decoding: step, as: UTF8.self)
          guard let (elements, end) = JSONRow.array(of: line, from: place), let index = Int(number),
            elements.indices.contains(index), number == "\(index)"
          else { return nil }
          let behind = index + 1 < elements.count ? elements[index + 1] : end
          value = elements[index]..<behind
          continue
        }
        guard row.read(line, from: place) == .whole else { return nil }
      }
      value = member(step, in: line)
      if value == nil {
        if depth == 0 { noteMembers(of: line) }
        return nil
      }
    }
    return value
  }

  /// The value of the last member with a name.
  private func member(_ name: [UInt8], in line: Span<UInt8>) -> Range<Int>? {
    row.members.last { member in
      if line.holds(name, at: member.name) { return true }
      guard member.name.contains(where: { line[$0] == UInt8(ascii: "\\") }) else { return false }
      var meaning: [UInt8] = []
      meaning.append(meaningOfJSON: line.extracting(member.name))
      return meaning == name
    }?.value
  }

  private func noteMembers(of line: Span<UInt8>) {
    guard findings.wantsNames else { return }
    findings.note(row.members.map { line.extracting($0.name).repaired(maximum: 256) })
  }
}

// MARK: - NAME=

extension Span<UInt8> {
  /// The end of a line without its line feed.
  fileprivate var withoutLineEnd: Int { count > 0 && self[count - 1] == 0x0a ? count - 1 : count }

  /// The range of a line without a byte-order mark before it and a return at its end.
  fileprivate func content(ofLine line: Range<Int>) -> Range<Int> {
    let start = extracting(line).startsWithByteOrderMark ? line.lowerBound + 3 : line.lowerBound
    let endsInReturn = line.upperBound > start && self[line.upperBound - 1] == 0x0d
    return start..<line.upperBound - (endsInReturn ? 1 : 0)
  }

  /// Whether a line ends between two matches; usually right before the second.
  @inline(__always)
  fileprivate func hasNewline(between first: LogMatch, and second: LogMatch) -> Bool {
    second.start > first.end
      && (self[second.start &- 1] == 0x0a || hasNewline(in: first.end..<second.start))
  }

  /// What stands behind the first `NAME=` that is no part of a longer name.
  ///
  /// It is in quotes, or ends before a blank, tab, comma, semicolon or the end. Without one,
  /// `findings` get the names that there are.
  fileprivate func value(of name: [UInt8], _ findings: PickFindings) -> Range<Int>? {
    for equals in indices where self[equals] == UInt8(ascii: "=") && isName(name, before: equals) {
      return value(from: equals + 1)
    }
    if findings.wantsNames { findings.note(names(most: 100)) }
    return nil
  }

  /// The first names before a `=`.
  private func names(most: Int) -> [String] {
    var names: [String] = []
    for equals in indices where self[equals] == UInt8(ascii: "=") && names.count < most {
      var start = equals
      while start > 0, self[start - 1].isOfName { start -= 1 }
      if start < equals { names.append(extracting(start..<equals).repaired(maximum: 256)) }
    }
    return names
  }

  private func isName(_ name: [UInt8], before equals: Int) -> Bool {
    let start = equals - name.count
    guard start >= 0, holds(name, at: start..<equals) else { return false }
    return start == 0 || !self[start - 1].isOfName
  }

  private func value(from start: Int) -> Range<Int> {
    guard start < count else { return start..<start }
    let quote = self[start]
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      let end = (start + 1..<count).first { self[$0] == quote } ?? count
      return start + 1..<end
    }
    let end = (start..<count).first { index in
      switch self[index] {
      case 0x20, 0x09, UInt8(ascii: ","), UInt8(ascii: ";"): true
      default: false
      }
    }
    return start..<(end ?? count)
  }
}

extension UInt8 {
  /// Whether it may be a part of a name before `=`.
  fileprivate var isOfName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39,
      UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
