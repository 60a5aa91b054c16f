import SondeInputs
public import SondeLogs
import SondePrivacy
public import SondeRecords

/// Adds a member to each line with one JSON object: a record for each string that is an address.
public struct JSONStyle: AnnotationStyle {
  private let encoder: RecordEncoder
  private let key: String
  private let searchesInside: Bool

  /// Creates the style, which adds a member named `key`; `encoder` writes records as NDJSON.
  ///
  /// `searchesInside` also finds addresses within strings, which get an array of records.
  public init(encoder: RecordEncoder, key: String, searchesInside: Bool = false) {
    (self.encoder, self.key, self.searchesInside) = (encoder, key, searchesInside)
  }

  /// Cuts after whole lines.
  public func cutter(of name: String, picking picker: LinePicker?, refangs: Bool) -> any LineCutter
  {
    let searcher = JSONSearcher(
      key: key,
      searchesInside: searchesInside,
      refangs: refangs,
      anonymizer: encoder.anonymizer
    )
    guard let picker else { return PlainLineCutter(searcher: searcher) }
    return PickingLineCutter(searcher, breaking: nil, picker)
  }

  /// True unless networks or columns of sources are shown.
  public var writesAnswersAlike: Bool { encoder.writesAnswersAlike }

  /// Appends a record as a JSON object.
  public func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8]) {
    encoder.append(record, bytes: bytes, to: &output)
    // Removes the line end.
    output.removeLast()
  }

  /// The value `null`, since each pointer needs a value.
  public var absent: [UInt8] { Array("null".utf8) }
}

/// Finds strings that are addresses in JSON lines.
struct JSONSearcher: PickingSearcher {
  var picker: LinePicker?
  private let key: [UInt8]
  /// The text before the pointers of a line.
  private let begin: [UInt8]
  private let searchesInside: Bool
  private let refangs: Bool
  /// Replaces addresses in pointers and strings; `nil` if they stay.
  private let anonymizer: Anonymizer?

  init(key: String, searchesInside: Bool, refangs: Bool, anonymizer: Anonymizer? = nil) {
    self.anonymizer = anonymizer
    self.key = Array(key.utf8)
    (self.searchesInside, self.refangs) = (searchesInside, refangs)
    var begin: [UInt8] = [UInt8(ascii: ",")]
    appendJSONString(key, to: &begin)
    self.begin = begin + Array(":{".utf8)
  }

  func search(_ block: inout LineBlock) {
    var reader = JSONLineReader(searchesInside: searchesInside, refangs: refangs)
    var words: [UInt8] = []
    var distinct = DistinctSubjects()
    var picker = picker
    var (start, count) = (0, block.bytes.count)
    while start < count {
      let end = block.bytes.span.firstNewline(from: start).map { $0 + 1 } ?? count
      block.lineCount += 1
      let line = start..<end
      if let brace = reader.read(block.bytes.span.extracting(line), unlessItHas: key),
        reader.keepPicked(by: &picker, in: block.bytes.span.extracting(line))
      {
        block.beginLine(line)
        block.reserve(reader.members.count + 1)
        insert(&reader, line, at: start + brace, &words, &distinct, &block)
      }
      start = end
    }
    if let anonymizer {
      let bytes = block.bytes
      let mentions = JSONMentions(anonymizer, searchesInside: searchesInside, refangs: refangs)
      block.mentions = mentions.find(in: bytes.span)
    }
  }

  /// Inserts the new member of a line, record by record.
  private func insert(
    _ reader: inout JSONLineReader,
    _ line: Range<Int>,
    at brace: Int,
    _ words: inout [UInt8],
    _ distinct: inout DistinctSubjects,
    _ block: inout LineBlock
  ) {
    words += begin
    for (index, mention) in reader.mentions.enumerated() {
      if index > 0 { words.append(UInt8(ascii: ",")) }
      let start = words.count
      reader.append(pointerOf: mention, in: block.bytes.span.extracting(line), to: &words)
      if let anonymizer {
        words.replaceSubrange(start..., with: anonymizer.text(words.span.extracting(start...)))
      }
      words.append(UInt8(ascii: ":"))
      if mention.isArray { words.append(UInt8(ascii: "[")) }
      distinct.begin()
      for index in mention.members {
        var subject: UInt32?
        if let address = reader.members[index] {
          let zone = reader.zone(of: index).map { block.keep($0.span) }
          subject = block.add(zone.map { .zoned(address, $0) } ?? .address(address))
        }
        if mention.isInside, let subject, !distinct.insert(subject, of: block) {
          block.insert(at: brace, subject, before: .mute)
          continue
        }
        if index > mention.members.lowerBound { words.append(UInt8(ascii: ",")) }
        guard let subject else {
          words += "null".utf8
          continue
        }
        block.insert(at: brace, subject, before: block.keep(words.span))
        words.removeAll(keepingCapacity: true)
      }
      if mention.isArray { words.append(UInt8(ascii: "]")) }
    }
    words.append(UInt8(ascii: "}"))
    block.insert(at: brace, .nothing, before: block.keep(words.span))
    words.removeAll(keepingCapacity: true)
  }
}
