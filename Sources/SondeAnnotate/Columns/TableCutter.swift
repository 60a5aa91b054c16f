import SondeAddresses
import SondeInputs

/// Cuts a table after whole rows.
struct TableCutter: LineCutter {
  /// The limit for the text that determines the plan, in bytes.
  private static let longestBegin = 16 << 20

  private let rules: TableRules
  private let name: String
  private var ends: RowEnds?
  /// The number of bytes examined after the last cut.
  private var seen = 0
  private var table = TableSearcher.unread
  private(set) var remark: String?

  init(_ rules: TableRules, name: String) { (self.rules, self.name) = (rules, name) }

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
    let end = ends?.find(text, from: seen) ?? 0
    seen = text.count - end
    guard isLast else { return end }
    noteOpenQuotes()
    return text.count
  }

  mutating func skip(_ text: Span<UInt8>, isLast: Bool) -> Int? {
    seen = 0
    let end = ends?.find(text, from: 0, stopsAtFirst: true)
    if isLast, end == nil { noteOpenQuotes() }
    return end
  }

  private mutating func noteOpenQuotes() {
    guard ends?.isInsideQuotes ?? false else { return }
    remark = "a quote is not closed: the rows from its own on pass unchanged, as one"
  }

  /// Creates the searcher of the next cut; returns whether the table's beginning is complete.
  private mutating func begin(_ text: Span<UInt8>, isLast: Bool) throws(TableError) -> Bool {
    guard ends == nil else {
      table.header = nil
      return true
    }
    let start = text.startsWithByteOrderMark ? 3 : 0
    // A table without any row.
    guard start < text.count || !isLast else { return false }
    if isLast, text.partsLinesByReturns {
      remark = "its lines end with a return alone (CR), which parts no rows: it passes unchanged"
      return false
    }
    guard
      let header = Header(text, from: start, delimiter: rules.delimiter, isLast: isLast),
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

extension Span<UInt8> {
  /// Whether readers that also end lines at returns see several lines here.
  fileprivate var partsLinesByReturns: Bool {
    firstNewline(from: 0) == nil && firstIndex(of: 0x0d, or: 0x0d, from: 0) < count - 1
  }
}

/// Finds the addresses in the rows of a table.
struct TableSearcher: LineSearcher {
  /// The plan for reading the rows; `nil` for a table without any.
  let plan: TablePlan?
  /// The header, if the rows begin with it.
  var header: Header?

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
    var cells = DelimitedRow(delimiter: delimiter, wanted: plan.wanted)
    let delimiters = [UInt8](repeating: delimiter, count: plan.fieldCount)
    let (one, all) = (block.keep([delimiter].span), block.keep(delimiters.span))
    while position < count {
      cells.read(block.bytes.span, from: position)
      block.lineCount += 1
      // An empty line is not a row to most readers.
      if cells.count == plan.columnCount, cells.isClosed, cells.bodyEnd > position {
        block.beginLine(position..<cells.end)
        if plan.isAnonymized { mention(plan.wanted.indices, of: cells, plan, in: &block) }
        for place in plan.order {
          switch CellContent(cells.fields[place], of: block.bytes.span, refangs: plan.refangs) {
          case .nothing: block.insert(at: cells.bodyEnd, .nothing, before: all)
          case .invalid(let item):
            block.insert(at: cells.bodyEnd, .invalid(item), before: one)
          case .address(let address, let zone):
            let subject: LineBlock.Subject
            if plan.refangs, let zone {
              let zone = block.bytes.span.zone(zone)
              subject = .zoned(address, block.keep(zone.span))
            } else {
              subject = .address(address, zone: zone)
            }
            block.insert(at: cells.bodyEnd, subject, before: one)
          }
        }
      } else if cells.count != plan.columnCount, cells.bodyEnd > position {
        block.raggedCount += 1
      }
      position = cells.end
    }
  }

  /// Adds the cells that are addresses to the mentions.
  private func mention(
    _ indices: Range<Int>,
    of cells: DelimitedRow,
    _ plan: TablePlan,
    in block: inout LineBlock
  ) {
    for index in indices {
      guard
        let (address, place) = CellContent.address(
          of: cells.fields[index],
          in: block.bytes.span,
          refangs: plan.refangs
        )
      else { continue }
      block.mentions.append(LineBlock.Mention(place: place, replacement: .address(address)))
    }
  }
}
