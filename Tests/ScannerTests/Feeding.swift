import SondeAddresses

@testable import SondeInputs
@testable import SondeRecords

/// Feeds a parser as a reader does: what is not consumed is given again, with more behind it.
struct Feeder {
  private var parser: any InputParser
  private(set) var records: [String] = []
  private(set) var duplicates = 0
  /// The most records that one call gave.
  private(set) var longest = 0

  init(keepsDuplicates: Bool = false, maximum: UInt64 = 65_536) {
    var rules = EntryRules()
    rules.keepsDuplicates = keepsDuplicates
    rules.maximumExpansion = maximum
    parser = ListParser(rules: rules)
  }

  /// Feeds an input in pieces.
  ///
  /// - Parameters:
  ///   - bytes: The whole input.
  ///   - limit: The most records of a call.
  ///   - input: The number of the input.
  ///   - piece: How many bytes come next.
  mutating func feed(
    _ bytes: [UInt8],
    limit: Int = .max,
    input: UInt32 = 0,
    piece: () -> Int = { .max }
  ) {
    parser.begin(input: input)
    var (buffer, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
    while true {
      var entries = EntryBlock()
      let isLast = rest.isEmpty
      let consumed = parser.parse(buffer.span, isLast: isLast, into: &entries, limit: limit)
      let isStuck = consumed == 0 && entries.block.records.isEmpty
      take(entries)
      buffer.removeFirst(consumed)
      if isLast, buffer.isEmpty, isStuck { return }
      if isStuck || buffer.isEmpty {
        let next = rest.prefix(max(1, piece()))
        rest = rest.dropFirst(next.count)
        buffer += next
      }
    }
  }

  mutating func feed(_ text: String, limit: Int = .max) { feed(Array(text.utf8), limit: limit) }

  /// Takes an operand of the command line.
  mutating func take(literal: String) {
    var entries = EntryBlock()
    parser.parse(literal: Array(literal.utf8).span, into: &entries)
    while !parser.resume(into: &entries, limit: entries.block.records.count + 100) {}
    take(entries)
  }

  private mutating func take(_ entries: EntryBlock) {
    duplicates += entries.duplicates
    longest = max(longest, entries.block.records.count)
    for record in entries.block.records {
      let item = entries.block.text(.item, of: record)
      let ip = [record.address.map { "\($0)" }, item].compactMap(\.self).joined(separator: "%")
      let parts = ["\(record.place.line)", ip, record.status.name]
      let message = entries.block.text(.message, of: record)
      records.append((parts + [message].compactMap(\.self)).joined(separator: " "))
    }
  }
}

/// The entries of a list, a line each: `LINE IP STATUS MESSAGE`.
func entries(_ text: String) -> [String] {
  var feeder = Feeder()
  feeder.feed(text)
  return feeder.records
}
