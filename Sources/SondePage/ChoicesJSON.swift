import SondeSummary

/// Appends the choices of a report within a number of bytes: the smallest combinations are left out.
struct ChoicesJSON {
  private let choices: SummaryChoices
  private let report: SummaryReport
  private let mostRows: Int
  /// The combinations that fit.
  private let count: Int
  private var width: Int { choices.panels.count }

  init(_ report: SummaryReport, _ choices: SummaryChoices, mostRows: Int, bytes: Int) {
    (self.report, self.choices, self.mostRows) = (report, choices, mostRows)
    var (room, count) = (bytes - Self.size(ofAddresses: choices), 0)
    for number in choices.combinations.indices {
      room -= Self.size(of: number, choices)
      if room < 0 { break }
      count += 1
    }
    self.count = count
  }

  /// The most bytes that a combination takes with its hits by time.
  private static func size(of number: Int, _ choices: SummaryChoices) -> Int {
    let combination = choices.combinations[number]
    let rows = choices.rows[number * choices.panels.count..<(number + 1) * choices.panels.count]
    // In order, nearly all have the first row of the one before.
    let others = rows.dropFirst().reduce(2) { $0 + digits(Int($1)) + 2 }
    let counts = size(combination.hits, combination.addresses) + digits(combination.cells.count) + 1
    return choices.cells[combination.cells].reduce(others + counts) {
      $0 + digits(Int($1.time)) + 1 + size($1.hits, $1.addresses)
    }
  }

  private static func size(_ hits: Int, _ addresses: Int) -> Int {
    digits(hits) + digits(hits &- addresses) + 2
  }

  /// About as many bytes as the hits of addresses take.
  private static func size(ofAddresses choices: SummaryChoices) -> Int {
    let parts = choices.parts.reduce(0) {
      $0 + digits(Int($1.combination)) + digits(Int($1.time)) + digits($1.hits) + 3
    }
    let others = choices.addresses.dropFirst(choices.leading)
    let times = 10 * choices.timeAddresses.count
    return others.reduce(parts + times + 12 * choices.leading + 4000) {
      $0 + $1.key.utf8.count + 60
    }
  }

  private static func digits(_ number: Int) -> Int {
    var (rest, count) = (abs(number), 1)
    while rest >= 10 { (rest, count) = (rest / 10, count + 1) }
    return count
  }

  /// The combinations that fit, ordered by their rows, so that differences are small.
  private var order: [Int] {
    let width = width
    return (0..<count).sorted { left, right in
      choices.rows[left * width..<(left + 1) * width]
        .lexicographicallyPrecedes(choices.rows[right * width..<(right + 1) * width])
    }
  }

  func append(to json: inout ScriptJSON) {
    let order = order
    var numbers = [Int](repeating: -1, count: choices.combinations.count)
    for (number, index) in order.enumerated() { numbers[index] = number }
    json.append(mark: "{\"panels\":")
    json.append(choices.panels) { $0.append(text: $1.rawValue) }
    json.append(mark: ",\"timeline\":")
    if let timeline = choices.timeline {
      json.append(text: timeline.rawValue)
    } else {
      json.append(mark: "null")
    }
    json.append(mark: ",\"rows\":")
    json.append(Array(choices.panels.enumerated())) { json, panel in
      append(rowsOf: panel.element, at: panel.offset, order, to: &json)
    }
    append(countsOf: order, to: &json)
    append(addresses: numbers, to: &json)
    json.append(mark: ",\"shared\":")
    let shared = choices.shared.compactMap { shared in
      let known = shared.combinations.map { numbers[Int($0)] }.filter { $0 >= 0 }
      return known.count > 1 ? [Int(shared.time), shared.addresses] + known : nil
    }
    json.append(shared) { json, numbers in json.append(numbers) { $0.append(number: Int64($1)) } }
    json.append(mark: "}")
  }

  /// Appends the rows of combinations, as the differences between them; -1 is a row left out.
  private func append(
    rowsOf panel: SummaryTable.Kind,
    at place: Int,
    _ order: [Int],
    to json: inout ScriptJSON
  ) {
    let all = report[panel]?.rows ?? []
    let shown = report[panel]?.first(mostRows) ?? []
    let hasMissing = shown.count < all.count && shown.last?.key.isEmpty ?? false
    var before = 0
    json.append(order) { json, index in
      var row = Int(choices.rows[index * width + place])
      if hasMissing, row == all.count - 1 {
        row = shown.count - 1
      } else if row >= shown.count - (hasMissing ? 1 : 0) {
        row = -1
      }
      json.append(number: Int64(row - before))
      before = row
    }
  }

  private func append(countsOf order: [Int], to json: inout ScriptJSON) {
    let combinations = order.map { choices.combinations[$0] }
    json.append(mark: ",\"hits\":")
    json.append(combinations) { $0.append(number: Int64($1.hits)) }
    json.append(mark: ",\"fewer\":")
    json.append(combinations) { $0.append(number: Int64($1.hits &- $1.addresses)) }
    guard choices.timeline != nil else { return }
    json.append(mark: ",\"times\":")
    json.append(combinations) { $0.append(number: Int64($1.cells.count)) }
    let cells = combinations.flatMap { choices.cells[$0.cells] }
    json.append(mark: ",\"time\":")
    json.append(cells) { $0.append(number: Int64($1.time)) }
    json.append(mark: ",\"timeHits\":")
    json.append(cells) { $0.append(number: Int64($1.hits)) }
    json.append(mark: ",\"timeFewer\":")
    json.append(cells) { $0.append(number: Int64($1.hits &- $1.addresses)) }
    json.append(mark: ",\"timeAddresses\":")
    json.append(choices.timeAddresses) { $0.append(number: Int64($1)) }
  }

  /// Appends the hits of addresses, as triples of combination, time and hits.
  private func append(addresses numbers: [Int], to json: inout ScriptJSON) {
    json.append(mark: ",\"parts\":")
    json.append(shownAddresses) { json, address in
      let parts = choices.parts[address.parts]
      let isWhole = parts.allSatisfy { numbers[Int($0.combination)] >= 0 }
      let numbers = parts.flatMap { [numbers[Int($0.combination)], Int($0.time), $0.hits] }
      json.append(isWhole ? numbers : []) { $0.append(number: Int64($1)) }
    }
    json.append(mark: ",\"home\":")
    json.append(shownAddresses) { $0.append(number: Int64($1.home.map { numbers[$0] } ?? -1)) }
  }

  /// The addresses in the page: the leading ones, and others whose combinations are in it.
  var shownAddresses: [SummaryChoices.Address] {
    choices.addresses.enumerated().filter { number, address in
      number < choices.leading
        || choices.parts[address.parts].allSatisfy { Int($0.combination) < count }
    }.map(\.element)
  }
}
