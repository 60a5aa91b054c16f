import SondeSystem

extension RecordBlock {
  /// Gives each record with an assigned code of a country the name that belongs to it.
  public mutating func nameCountries() {
    var written: [Int: TextRange] = [:]
    for place in records.indices {
      let code = records[place][.countryCode]
      guard code.count == 2 else { continue }
      let (first, second) = (bytes[Int(code.offset)], bytes[Int(code.offset) + 1])
      let name = CountryNames.bytes(of: first, second)
      guard !name.isEmpty, let index = CountryNames.index(of: first, second),
        !bytes[records[place][.country].indices].elementsEqual(name)
      else { continue }
      let range = written[index] ?? append(text: name.span)
      written[index] = range
      records[place][.country] = range
    }
  }
}
