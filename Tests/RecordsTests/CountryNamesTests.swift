import Foundation
import SondeRecords
import SondeSystem
import Testing

@Suite struct CountryNamesTests {
  @Test func `assigned codes have one name, others none`() {
    let table: [(String, String?)] = [
      ("DE", "Germany"), ("AX", "Åland Islands"), ("US", "United States"), ("GB", "United Kingdom"),
      ("KR", "South Korea"), ("TW", "Taiwan"), ("CD", "Democratic Republic of the Congo"),
      ("ZW", "Zimbabwe"), ("us", nil), ("XX", nil), ("EU", nil), ("UK", nil), ("", nil),
      ("USA", nil),
    ]
    for (code, name) in table { #expect(CountryNames.name(of: code) == name) }
  }

  @Test func `there are as many as are assigned`() {
    let names = codes.compactMap { CountryNames.name(of: $0) }
    #expect(names.count == 249)
    #expect(Set(names).count == 249)
  }

  /// The shorter names of nine countries.
  private static let own: Set = ["BN", "CD", "FK", "FM", "PS", "RU", "VA", "VG", "VI"]

  private static let package = "/usr/share/iso-codes/json/iso_3166-1.json"

  @Test(.enabled(if: FileManager.default.fileExists(atPath: package)))
  func `the names are those of iso-codes`() throws {
    struct List: Decodable {
      struct Country: Decodable {
        let alpha_2, name: String
        let common_name: String?
      }
      let countries: [Country]
      enum CodingKeys: String, CodingKey { case countries = "3166-1" }
    }
    let data = try Data(contentsOf: URL(fileURLWithPath: Self.package))
    for country in try JSONDecoder().decode(List.self, from: data).countries
    where !Self.own.contains(country.alpha_2) {
      #expect(CountryNames.name(of: country.alpha_2) == country.common_name ?? country.name)
    }
  }

  @Test func `a block's records get the names of their codes`() {
    var block = RecordBlock()
    for (code, name) in [
      ("GB", "UK"), ("XK", "Kosovo"), ("GB", ""), ("", "Nowhere"), ("DE", "Germany"),
    ] {
      var record = Record(address: nil, status: .ok)
      record[.countryCode] = block.append(text: code)
      record[.country] = block.append(text: name)
      block.records.append(record)
    }
    block.nameCountries()
    let names = block.records.map { block.text(.country, of: $0) }
    #expect(names == ["United Kingdom", "Kosovo", "United Kingdom", "Nowhere", "Germany"])
  }

  private var codes: [String] {
    let letters = (0x41...0x5a as ClosedRange<UInt8>).map { Character(Unicode.Scalar($0)) }
    return letters.flatMap { first in letters.map { "\(first)\($0)" } }
  }
}
