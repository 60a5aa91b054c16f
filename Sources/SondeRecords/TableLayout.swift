/// Where the columns of a table begin.
///
/// They are the same for every record, so that records can be shown one by one as they come; only
/// an address longer than all before it moves them.
struct TableLayout: Sendable {
  /// The blanks between two columns.
  static let gap = 2

  /// The columns of the terminal; `nil` where lines are not cut.
  let width: Int?

  /// The width of each column.
  let widths: [Int]

  /// Where each column begins, and where one more would.
  let starts: [Int]

  private let fields: [Field]

  /// Spreads columns over the width of a terminal, or gives each what it usually needs.
  init(fields: [Field], width: Int?) {
    let usual = fields.map(\.row.widths.usual)
    guard let width else {
      self.init(fields, nil, widths: usual)
      return
    }
    let room = width - Self.gap * (fields.count - 1)
    let isTight = usual.reduce(0, +) > room
    let limits = fields.map { isTight ? $0.row.widths.least : $0.row.widths.most }
    self.init(fields, width, widths: Self.spread(usual, towards: limits, over: room))
  }

  /// The same with as much room as there can be for an address of so many columns; `nil` where that
  /// is what there is already.
  func widened(for address: Int) -> TableLayout? {
    guard let column = fields.firstIndex(of: .ip), widths[column] < address else { return nil }
    var usual = width == nil ? widths : fields.map(\.row.widths.usual)
    usual[column] = address
    guard let width else { return TableLayout(fields, nil, widths: usual) }
    let room = width - Self.gap * (fields.count - 1)
    var tight = fields.map(\.row.tight)
    tight[column] = 0
    let own = min(address, room - tight.reduce(0, +))
    guard own > widths[column] else { return nil }
    usual[column] = own
    let isTight = usual.reduce(0, +) > room
    var limits = isTight ? tight : fields.map(\.row.widths.most)
    limits[column] = own
    return TableLayout(fields, width, widths: Self.spread(usual, towards: limits, over: room))
  }

  private init(_ fields: [Field], _ width: Int?, widths: [Int]) {
    self.fields = fields
    self.width = width.map { max($0, 1) }
    self.widths = widths
    starts = widths.reduce(into: [0]) { starts, width in
      starts.append((starts.last ?? 0) + width + Self.gap)
    }
  }

  /// The bytes that blanks, colours and the line end take in one line.
  var capacity: Int { (starts.last ?? 0) + 4 * starts.count + 16 }

  /// The columns of the terminal from one on.
  func room(from start: Int) -> Int { width.map { $0 - start } ?? .max }

  /// Moves widths towards their limits, each in proportion, until they fill the room.
  private static func spread(_ widths: [Int], towards limits: [Int], over room: Int) -> [Int] {
    let wanted = room - widths.reduce(0, +)
    let possible = limits.reduce(0, +) - widths.reduce(0, +)
    guard abs(possible) > abs(wanted) else { return limits }
    let isTight = wanted < 0
    return zip(widths, limits).map { width, limit in
      let (share, rest) = ((limit - width) * wanted).quotientAndRemainder(dividingBy: possible)
      // Rounded down, so that growing never goes beyond the room and shrinking always reaches it.
      return width + share - (isTight && rest > 0 ? 1 : 0)
    }
  }
}
