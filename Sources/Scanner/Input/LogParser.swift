import Addresses

/// Cuts logs into pieces, which are searched by whoever asks for them: several at once.
struct LogParser: InputParser {
  /// The length from which on a line is cut.
  private static let longestLine = 1 << 20

  /// What is given on the command line stands for itself.
  private var literals: ListParser
  private var input: UInt32 = 0
  /// Bytes that are given again although they were searched, for what they say of others.
  private var searched = 0
  /// Logs are read to their end.
  let isDone = false

  /// Makes a parser that has seen nothing.
  init(rules: EntryRules) {
    var rules = rules
    // Which of them are duplicates is found out later, behind what comes before them.
    rules.keepsDuplicates = true
    literals = ListParser(rules: rules)
  }

  mutating func begin(input: UInt32) {
    self.input = input
    literals.begin(input: input)
    searched = 0
  }

  mutating func parse(literal: Span<UInt8>, into entries: inout EntryBlock) {
    literals.parse(literal: literal, into: &entries)
  }

  mutating func resume(into entries: inout EntryBlock, limit: Int) -> Bool {
    literals.resume(into: &entries, limit: limit)
  }

  /// Takes the text up to the last place where it can be cut, and says where that lies.
  mutating func parse(
    _ bytes: Span<UInt8>,
    isLast: Bool,
    into entries: inout EntryBlock,
    limit: Int
  ) -> Int {
    guard let cut = cut(bytes, isLast: isLast) else { return 0 }
    // Nothing but what was searched before, or, behind a failure, not even all of that.
    guard cut.offset > searched else { return isLast ? bytes.count : 0 }
    let end = cut.isClean ? cut.offset : bytes.count
    entries.log = LogExtent(count: end, start: searched, cut: cut, input: input)
    let consumed = cut.isClean ? cut.offset : max(0, cut.offset - LogCut.reach)
    searched = cut.offset - consumed
    return consumed
  }

  /// Where the last whole line ends; a line too long to wait for is cut.
  private func cut(_ bytes: Span<UInt8>, isLast: Bool) -> LogCut? {
    if isLast { return LogCut(offset: bytes.count, isClean: true) }
    if let newline = bytes.lastNewline, newline >= searched {
      return LogCut(offset: newline + 1, isClean: true)
    }
    return bytes.count < Self.longestLine ? nil : LogCut.last(in: bytes)
  }
}
