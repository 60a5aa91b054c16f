import SondeSystem
import SondeWeb

/// A currency that can be converted.
enum Currency: String, CaseIterable, Sendable {
  case rouble = "RUB", yuan = "CNY", euro = "EUR", dollar = "USD"

  /// The ISO 4217 code, which people may also type in lower case.
  var code: String { rawValue }

  /// Parses a code; the rouble also has the one from before 1998.
  init?(code: String) {
    let code = code.uppercased()
    self.init(rawValue: code == "RUR" ? "RUB" : code)
  }
}

/// The value of a currency in roubles.
struct Rate: Sendable, Equatable {
  /// The publisher of the rate.
  enum Source: String, CaseIterable, Sendable {
    case exchange = "Moscow Exchange", bank = "Bank of Russia"
  }

  /// Roubles for ``nominal`` units of the currency; positive.
  let price: Decimal

  /// Units of the currency; positive.
  let nominal: Decimal

  /// `nil` for the rouble.
  let source: Source?

  /// The day in Moscow, with the time if it is known.
  let date: String?
  static let rouble = Rate(price: .one, nominal: .one, source: nil, date: nil)

  init?(price: Decimal?, nominal: Decimal?, source: Source?, date: String?) {
    guard let price, let nominal, !price.isZero, !nominal.isZero else { return nil }
    (self.price, self.nominal, self.source, self.date) = (price, nominal, source, date)
  }

  /// Roubles per unit, with two to eight decimals.
  var roubles: String {
    var text = Decimal.quotient([price], by: [nominal], scale: 8).text()[...]
    for _ in 0..<6 where text.hasSuffix("0") { text.removeLast() }
    return String(text)
  }
}

/// The rates at one time.
struct Rates: Sendable {
  /// The available rates of currencies other than the rouble.
  var known: [Currency: Rate] = [:]

  /// The response of the exchange.
  var answer = JSON.null

  /// The time of the request, since 1970.
  var fetched: Duration

  /// Negative after the clock was set back.
  var age: Duration { Clocks.wall - fetched }

  /// The rate of a currency; `nil` if it is not available.
  subscript(currency: Currency) -> Rate? { currency == .rouble ? .rouble : known[currency] }

  /// Converts an amount to two decimals, rounded half to even.
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
