/// Cuts a table behind whole rows.
struct TableCutter: LineCutter {
  /// The most bytes up to the end of what the plan is made from.
  private static let longestBegin = 16 << 20

  private let rules: TableRules
  private let name: String
  private var ends: RowEnds?
  /// How much of the text behind the last cut has been looked at.
  private var seen = 0
  private var table = TableSearcher.unread

  init(_ rules: TableRules, name: String) {
    (self.rules, self.name) = (rules, name)
  }

  var searcher: any LineSearcher { table }

  mutating func cut(
    _ text: Span<UInt8>,
    from searched: Int,
    isLast: Bool
  ) throws(InputError) -> Int {
    do throws(TableError) {
      guard try begin(text, isLast: isLast) else { return isLast ? text.count : 0 }
    } catch {
      throw .misuse(of: name, error.description)
    }
    guard !isLast else { return text.count }
    let end = ends?.find(text, from: seen) ?? 0
    seen = text.count - end
    return end
  }

  mutating func skip(_ text: Span<UInt8>) -> Int? {
    seen = 0
    return ends?.find(text, from: 0, stopsAtFirst: true)
  }

  /// Makes the searcher for what is cut off next.
  ///
  /// - Returns: Whether the begin of the table is there.
  private mutating func begin(_ text: Span<UInt8>, isLast: Bool) throws(TableError) -> Bool {
    guard ends == nil else {
      table.header = nil
      return true
    }
    let start = text.startsWithByteOrderMark ? 3 : 0
    // A table without any row.
    guard start < text.count || !isLast else { return false }
    guard
      let header = TableHeader(text, from: start, delimiter: rules.delimiter, isLast: isLast),
      let plan = try TablePlan(rules, header, in: text, isLast: isLast)
    else {
      guard text.count <= Self.longestBegin else { throw .longHeader }
      return false
    }
    table = TableSearcher(plan: plan, header: header)
    ends = RowEnds(delimiter: plan.delimiter)
    seen = start
    return true
  }
}

/// Finds the addresses in the rows of a table.
struct TableSearcher: LineSearcher {
  /// What reads the rows; `nil` for a table without any.
  let plan: TablePlan?
  /// The header, where the rows begin with it.
  var header: TableHeader?

  static let unread = TableSearcher(plan: nil, header: nil)

  func search(_ block: inout LineBlock) {
    guard let plan else { return }
    var position = 0
    if let header {
      position = header.end
      block.beginHeader(0..<position)
      block.insert(at: header.bodyEnd, .nothing, before: block.keep(plan.headerCells.span))
    }
    let (count, delimiter) = (block.bytes.count, plan.delimiter)
    if delimiter != UInt8(ascii: ",") {
      block.rewrite { NewCells.append(row: $0, delimiter: delimiter, to: &$1) }
    }
    var cells = Cells(delimiter: delimiter, wanted: plan.wanted)
    let delimiters = [UInt8](repeating: delimiter, count: plan.fieldCount)
    let (one, all) = (block.keep([delimiter].span), block.keep(delimiters.span))
    while position < count {
      cells.read(block.bytes.span, from: position)
      block.lineCount += 1
      // A line without a byte is no row to most readers.
      if cells.count == plan.columnCount, cells.isClosed, cells.bodyEnd > position {
        block.beginLine(position..<cells.end)
        for place in plan.order {
          switch CellContent(cells.places[place], of: block.bytes.span) {
          case .nothing: block.insert(at: cells.bodyEnd, .nothing, before: all)
          case .invalid(let item):
            block.insert(at: cells.bodyEnd, .invalid(item), before: one)
          case .address(let address, let zone):
            block.insert(at: cells.bodyEnd, .address(address, zone: zone), before: one)
          }
        }
      }
      position = cells.end
    }
  }
}
