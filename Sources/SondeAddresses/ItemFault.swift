/// The reason why an item of a list is not an address, block or range.
public struct ItemFault: Equatable, Sendable {
  /// The column of the offending byte, from 1, in characters (Unicode scalars).
  public var column: Int

  /// The position of the raw item in the line, without comment and white space.
  public var item: Range<Int>

  /// What is wrong, with a correction if the intent is clear: `has a port; write 8.8.8.8`.
  public var reason: String

  /// The column and the reason: `column 8: has a port; write 8.8.8.8`.
  public var message: String { "column \(column): \(reason)" }

  /// Creates a fault.
  public init(column: Int, item: Range<Int>, reason: String) {
    (self.column, self.item, self.reason) = (column, item, reason)
  }

  /// Creates the fault of a line's range with more than `limit` addresses (`--max-expand`).
  public init(expanding range: AddressRange, limit: UInt64, line: Span<UInt8>) {
    let item = ListItem.itemRange(in: line)
    self.init(
      column: Text.characters(in: line, before: item.lowerBound) + 1,
      item: item,
      reason: range.expansionReason(limit: limit)
    )
  }

  /// Creates the fault of a line that is longer than `limit` bytes, given its beginning.
  public init(ofLine line: Span<UInt8>, longerThan limit: Int) {
    let start = line.indices.first { !line[$0].isBlank } ?? 0
    self.init(
      column: Text.characters(in: line, before: start) + 1,
      item: start..<line.count,
      reason: "is on a line of more than \(limit) bytes, which is not read"
    )
  }

  init(of item: Range<Int>, in line: Span<UInt8>) {
    let (offset, reason) = Self.diagnose(line.extracting(item))
    let column = Text.characters(in: line, before: item.lowerBound + offset) + 1
    self.init(column: column, item: item, reason: reason)
  }

  /// Creates the fault of an item that is not valid after refanging, either.
  init(of item: Range<Int>, in line: Span<UInt8>, _ refanged: RefangedText) {
    let text = refanged.bytes
    let inner = ListItem.trimUnicode(0..<text.count, of: text.span)
    let (offset, reason) = Self.diagnose(text.span.extracting(inner))
    let place = item.lowerBound + refanged.original(inner.lowerBound + offset)
    self.init(
      column: Text.characters(in: line, before: place) + 1,
      item: refanged.original(inner).moved(by: item.lowerBound),
      reason: reason
    )
  }

  private static func diagnose(_ item: Span<UInt8>) -> (offset: Int, reason: String) {
    if let (offset, reason) = unreadable(item) { return (offset, reason) }
    if item.count > ListItem.longestItem, let comma = ItemFlaw.firstComma(item) {
      return (comma, ItemFlaw.commaReason)
    }
    guard item.count <= ListItem.longestItem else {
      return (0, "is \(item.count) bytes long, too long for an address")
    }
    return diagnose(item.indices.map { item[$0] })
  }

  /// Reports the first flaw, and fixes one flaw after another until the item can be parsed, for the
  /// correction.
  private static func diagnose(_ item: [UInt8]) -> (offset: Int, reason: String) {
    let first = ItemFlaw.find(in: item)
    var (last, steps) = (first, 1)
    while let mended = last.mended {
      if ItemFlaw.isValid(mended) {
        return (first.offset, "\(first.reason); write \(String(decoding: mended, as: UTF8.self))")
      }
      guard steps < 8, mended != item else { return (first.offset, first.reason) }
      last = ItemFlaw.find(in: mended)
      steps += 1
    }
    guard steps > 1, last.reason != first.reason else { return (first.offset, first.reason) }
    return (first.offset, "\(first.reason), and \(last.reason)")
  }

  /// Finds invalid UTF-8 and control characters, of which only the first is reported.
  private static func unreadable(_ item: Span<UInt8>) -> (offset: Int, reason: String)? {
    let control = item.indices.first { item[$0] == 0x7f || item[$0] < 0x20 && !item[$0].isBlank }
    let invalid = Text.firstNonUTF8(item)
    if let invalid, invalid < control ?? .max { return (invalid, "is not valid UTF-8") }
    guard let control else { return nil }
    if item[control] == 0 { return (control, "holds a NUL byte") }
    let name = Text.name(of: Unicode.Scalar(item[control]))
    return (control, "holds a control character (\(name))")
  }
}
