/// Where the columns of a table begin.
///
/// They are the same for every record, so that records can be shown one by one as they come.
struct TableLayout: Sendable {
  /// The blanks between two columns.
  static let gap = 2

  /// The columns of the terminal; `nil` where lines are not cut.
  let width: Int?

  /// The width of each column.
  let widths: [Int]

  /// Where each column begins, and where one more would.
  let starts: [Int]

  /// Spreads columns over the width of a terminal, or gives each what it usually needs.
  init(fields: [Field], width: Int?) {
    self.width = width.map { max($0, 1) }
    let usual = fields.map(\.widths.usual)
    if let width {
      let room = width - Self.gap * (fields.count - 1)
      let isTight = usual.reduce(0, +) > room
      let limits = fields.map { isTight ? $0.widths.least : $0.widths.most }
      widths = Self.spread(usual, towards: limits, over: room)
    } else {
      widths = usual
    }
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

extension Field {
  /// The columns that the values take on a terminal: when it is narrow, usually, when it is wide.
  ///
  /// At least the name fits.
  fileprivate var widths: (least: Int, usual: Int, most: Int) {
    switch self {
    case .ip: (15, 20, 26)
    case .status: (8, 8, 8)
    case .source: (11, 11, 11)
    case .countryCode: (12, 12, 12)
    case .country, .region, .city, .input: (10, 16, 24)
    case .postalCode, .regionCode: (11, 11, 11)
    case .latitude, .longitude: (9, 9, 9)
    case .timezone: (10, 18, 30)
    case .asn, .cached: (6, 10, 10)
    case .asName, .isp, .org, .hostname, .message: (14, 28, 48)
    case .fetchedAt: (20, 20, 20)
    case .line: (6, 8, 10)
    case .network: (18, 18, 26)
    case .continentCode: (14, 14, 14)
    case .mobile, .proxy: (6, 6, 6)
    case .hosting: (7, 7, 7)
    }
  }
}
