import SondeSystem
import SondeWeb

/// A currency that can be converted.
enum Currency: String, CaseIterable, Sendable {
  case rouble = "RUB", yuan = "CNY", euro = "EUR", dollar = "USD"

  /// The code of ISO 4217, which people also type in lower case.
  var code: String { rawValue }

  /// Reads a code; the rouble's is also the one that it had before 1998.
  init?(code: String) {
    let code = code.uppercased()
    self.init(rawValue: code == "RUR" ? "RUB" : code)
  }
}

/// What a currency is worth in roubles.
struct Rate: Sendable, Equatable {
  /// Who says so.
  enum Source: String, CaseIterable, Sendable {
    case exchange = "Moscow Exchange", bank = "Bank of Russia"
  }

  /// So many roubles, above 0.
  let price: Decimal

  /// For so many of the currency, above 0.
  let nominal: Decimal

  /// `nil` for the rouble.
  let source: Source?

  /// The day, and the time where it is known, in Moscow; `nil` if unknown.
  let date: String?

  /// The rouble's.
  static let rouble = Rate(price: .one, nominal: .one, source: nil, date: nil)

  init?(price: Decimal?, nominal: Decimal?, source: Source?, date: String?) {
    guard let price, let nominal, !price.isZero, !nominal.isZero else { return nil }
    (self.price, self.nominal, self.source, self.date) = (price, nominal, source, date)
  }

  /// The roubles for one, with two to eight decimals.
  var roubles: String {
    var text = Decimal.quotient([price], by: [nominal], scale: 8).text()[...]
    for _ in 0..<6 where text.hasSuffix("0") { text.removeLast() }
    return String(text)
  }
}

/// The rates of one moment.
struct Rates: Sendable {
  /// Those of other currencies than the rouble, as far as there are any.
  var known: [Currency: Rate] = [:]

  /// What the exchange said.
  var answer = JSON.null

  /// When they were asked for, since 1970.
  var fetched: Duration

  /// How old they are; negative where the clock was set back.
  var age: Duration { Clocks.wall - fetched }

  /// A currency's rate; `nil` where there is none.
  subscript(currency: Currency) -> Rate? { currency == .rouble ? .rouble : known[currency] }

  /// Converts an amount.
  ///
  /// - Returns: The other amount, with two decimals, rounded half to even.
  /// - Throws: ``MissingRate``.
  func convert(_ amount: Decimal, from: Currency, to: Currency) throws(MissingRate) -> Decimal {
    guard let given = self[from] else { throw MissingRate(currency: from) }
    guard let wanted = self[to] else { throw MissingRate(currency: to) }
    let divisors = [given.nominal, wanted.price]
    return .quotient([amount, given.price, wanted.nominal], by: divisors, scale: 2)
  }
}

/// No source had a currency's rate.
struct MissingRate: Error, CustomStringConvertible {
  let currency: Currency

  var description: String { "No rate for \(currency.code)" }
}
