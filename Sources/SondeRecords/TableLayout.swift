/// The layout of a table's columns.
///
/// It is the same for all records, so that they can be shown as they arrive; only a longer address
/// than before changes it.
struct TableLayout: Sendable {
  static let gap = 2

  /// The width of the terminal; `nil` if lines are not cut.
  let width: Int?
  let widths: [Int]

  /// The start of each column, and of a further one.
  let starts: [Int]

  private let fields: [Field]

  /// Distributes the width of a terminal, or gives each column its usual width.
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

  /// A copy with more space for an address of some width; `nil` if there is no more.
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
    (self.fields, self.widths) = (fields, widths)
    self.width = width.map { max($0, 1) }
    starts = widths.reduce(into: [0]) { starts, width in
      starts.append((starts.last ?? 0) + width + Self.gap)
    }
  }

  /// The number of bytes for blanks, colours and the line end in one line.
  var capacity: Int { (starts.last ?? 0) + 4 * starts.count + 16 }

  /// The number of terminal columns from a position on.
  func room(from start: Int) -> Int { width.map { $0 - start } ?? .max }

  /// Changes widths towards their limits, in proportion, until they fill the space.
  private static func spread(_ widths: [Int], towards limits: [Int], over room: Int) -> [Int] {
    let wanted = room - widths.reduce(0, +)
    let possible = limits.reduce(0, +) - widths.reduce(0, +)
    guard abs(possible) > abs(wanted) else { return limits }
    let isTight = wanted < 0
    return zip(widths, limits).map { width, limit in
      let (share, rest) = ((limit - width) * wanted).quotientAndRemainder(dividingBy: possible)
      // Rounded down, so that growing never exceeds the space and shrinking always reaches it.
      return width + share - (isTight && rest > 0 ? 1 : 0)
    }
  }
}
