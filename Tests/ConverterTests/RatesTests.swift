import Testing
import SondeWeb

@testable import converter

@Suite struct RatesTests {
  private static let average = """
    "wap_rates":{"columns":["tradedate","tradetime","shortname","price","nominal"],"data":[\
    ["2024-06-14","19:00:00","CNYRUB_TOM",11.9485,1],["2024-06-14",null,"USDRUB_TOM",null,1],\
    ["2024-06-11","19:00:00","EURRUB_TOM",957.454,10]]}
    """
  private static let official = """
    "cbrf":{"columns":["CBRF_USD_LAST","CBRF_USD_TRADEDATE","CBRF_EUR_LAST"],\
    "data":[[88.9021,"2024-06-15",99]]}
    """

  private func read(_ text: String) -> Rates? {
    (try? JSON(parsing: Array("{\(text)}".utf8))).flatMap { Rates($0, fetched: .seconds(7)) }
  }

  @Test func `the average of the trade comes before the official rate`() throws {
    let rates = try #require(read(Self.average + "," + Self.official))
    let yuan = try #require(rates[.yuan])
    #expect(yuan.roubles == "11.9485" && yuan.source == .exchange)
    #expect(yuan.date == "2024-06-14 19:00:00")
    let dollar = try #require(rates[.dollar])
    #expect(dollar.roubles == "88.9021" && dollar.source == .bank && dollar.date == "2024-06-15")
    let euro = try #require(rates[.euro])
    #expect(euro.roubles == "95.7454" && euro.source == .exchange)
    #expect(rates[.rouble] == .rouble)
  }

  @Test func `names are read in either case`() throws {
    let upper = (Self.average + "," + Self.official).uppercased()
      .replacing("NULL", with: "null")
    #expect(read(upper)?[.dollar]?.roubles == "88.9021" && read(upper)?[.yuan] != nil)
  }

  @Test(arguments: ["0", "-1", "null", "\"9\"", "1e99", "[1]", "true", "0.000", "0e5"])
  func `a price that is not above zero counts as none`(price: String) throws {
    let text = Self.average.replacing("11.9485", with: price)
    let rates = try #require(read(text))
    #expect(rates[.yuan] == nil)
    #expect(throws: MissingRate.self) { try rates.convert(.one, from: .yuan, to: .rouble) }
  }

  @Test(arguments: [
    "", "\"wap_rates\":null", "\"wap_rates\":{\"columns\":1,\"data\":[]}", "\"other\":{}",
  ])
  func `what is no such answer has no rates`(text: String) { #expect(read(text) == nil) }

  @Test(arguments: ["[]", "[1]", "[[]]", "[[1,2,3,4,5,6,7]]", "[null,{}]"])
  func `rows of a wrong shape are left out`(data: String) throws {
    let rates = read("\"wap_rates\":{\"columns\":[\"shortname\",\"price\",7],\"data\":\(data)}")
    #expect(rates?.known == [:])
  }

  @Test func `what is kept is read again`() throws {
    let rates = try #require(read(Self.average + "," + Self.official))
    let bytes = rates.kept
    #expect(Rates(kept: bytes)?.known == rates.known && Rates(kept: bytes)?.fetched == .seconds(7))
    for count in 0..<bytes.count { #expect(Rates(kept: Array(bytes[..<count])) == nil) }
  }
}
