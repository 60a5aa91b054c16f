import SondeWeb

// MARK: - The exchange's response

extension Rates {
  /// Parses a response (https://iss.moex.com/iss/reference/): blocks of rows by column names.
  ///
  /// It is `nil` for any other JSON.
  init?(_ answer: JSON, fetched: Duration) {
    let (averages, official) = (Block("wap_rates", of: answer), Block("cbrf", of: answer))
    guard averages != nil || official != nil else { return nil }
    self.init(answer: answer, fetched: fetched)
    for currency in Currency.allCases where currency != .rouble {
      let rates = (averages?.rows ?? []).lazy.compactMap { Rate(average: $0, of: currency) }
      let row = official?.rows.first
      known[currency] = rates.first ?? row.flatMap { Rate(official: $0, of: currency) }
    }
  }
}

/// One block of a response.
private struct Block {
  /// The values of each row, by lower-case column names.
  let rows: [[String: JSON]]

  init?(_ name: String, of answer: JSON) {
    let block = answer.member(ignoringCase: name)
    guard let columns = block?.member(ignoringCase: "columns")?.elements,
      let data = block?.member(ignoringCase: "data")?.elements
    else { return nil }
    let names = columns.map { $0.text?.lowercased() ?? "" }
    rows = data.compactMap(\.elements).map { Dictionary(zip(names, $0)) { first, _ in first } }
  }
}

extension Rate {
  /// The weighted average of a day's trade, if the row has one of the currency in roubles.
  fileprivate init?(average row: [String: JSON], of currency: Currency) {
    let pair = row["shortname"]?.text?.uppercased() ?? ""
    guard pair.hasPrefix(currency.code + Currency.rouble.code) else { return nil }
    let moments = [row["tradedate"], row["tradetime"]].compactMap { $0?.moment }
    let (price, nominal) = (row["price"]?.decimal, row["nominal"]?.decimal)
    let date = moments.isEmpty ? nil : moments.joined(separator: " ")
    self.init(price: price, nominal: nominal, source: .exchange, date: date)
  }

  fileprivate init?(official row: [String: JSON], of currency: Currency) {
    let name = "cbrf_\(currency.code.lowercased())_"
    let (price, date) = (row[name + "last"]?.decimal, row[name + "tradedate"]?.moment)
    self.init(price: price, nominal: .one, source: .bank, date: date)
  }
}

extension JSON {
  fileprivate func member(ignoringCase name: String) -> JSON? {
    members?.first { $0.0.lowercased() == name }?.1
  }

  fileprivate var decimal: Decimal? { digits.flatMap { Decimal($0) } }

  /// The text if it is a day or a time.
  fileprivate var moment: String? {
    guard let text, text.utf8.count <= 30 else { return nil }
    return text.utf8.allSatisfy { Array("0123456789-:. TZ+".utf8).contains($0) } ? text : nil
  }
}

// MARK: - Storage

extension Rates {
  /// Parses ``kept``; `nil` for anything else.
  init?(kept text: [UInt8]) {
    guard let kept = try? JSON(parsing: text), case .integer(let time) = kept["fetched_at"],
      let answer = kept["answer"]
    else { return nil }
    self.init(answer, fetched: .milliseconds(time))
  }

  /// The stored form: the original response.
  var kept: [UInt8] { JSON.object([("fetched_at", fetched.json), ("answer", answer)]).bytes }
}

extension Duration {
  /// A time since 1970 in milliseconds.
  var json: JSON { .integer(Int64(self / .milliseconds(1))) }
}
