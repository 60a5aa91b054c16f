import SondeAddresses

@testable import SondeRecords

/// A record with its texts as strings, as a test writes it down.
struct Sample {
  var record: Record
  var texts: [TextField: String] = [:]

  init(_ address: Address?, _ status: Status, _ texts: [TextField: String] = [:]) {
    record = Record(address: address, status: status)
    self.texts = texts
  }

  /// The answer of ip-api for `8.8.8.8`, with everything that can be known.
  static var google: Sample {
    var sample = Sample(
      Address(ipv4: 0x0808_0808),
      .ok,
      [
        .countryCode: "US", .country: "United States", .region: "Virginia", .city: "Ashburn",
        .postalCode: "20149", .timezone: "America/New_York", .asName: "Google LLC",
        .isp: "Google LLC", .org: "Google Public DNS", .hostname: "dns.google",
      ]
    )
    sample.record.source = .ipAPI
    sample.record.latitude = 39.03
    sample.record.longitude = -77.5
    sample.record.asn = 15169
    sample.record.fetchedAt = 1_795_199_400
    sample.record.place.line = 3
    return sample
  }

  static var quad9v6: Sample {
    var sample = Sample(
      Address(high: 0x2620_00fe_0000_0000, low: 0x00fe),
      .ok,
      [.countryCode: "US", .city: "Berkeley", .asName: "Quad9"]
    )
    sample.record.source = .ipinfo
    return sample
  }

  static var `private`: Sample {
    Sample(Address(ipv4: 0x0a00_0001), .reserved, [.message: "Private-Use (RFC 1918)"])
  }
}

/// The names of the sources, by their numbers.
let sourceNames = ["ip-api", "ipinfo", "libloc", "mmdb"]

extension Source {
  static let ipAPI = Source(0)
  static let ipinfo = Source(1)
  static let libloc = Source(2)
  static let mmdb = Source(3)
}

extension RecordEncoder {
  /// An encoder that knows the names of the sources.
  static func sample(
    _ format: Format,
    fields: [Field] = Field.standard,
    inputs: [String] = [],
    spreadsheet: Bool = false,
    width: Int? = nil,
    colors: Bool = false
  ) -> RecordEncoder {
    RecordEncoder(
      format: format,
      fields: fields,
      inputs: inputs,
      sources: sourceNames,
      spreadsheet: spreadsheet,
      width: width,
      colors: colors
    )
  }
}

/// A block of samples.
func block(_ samples: [Sample]) -> RecordBlock {
  var block = RecordBlock()
  for sample in samples {
    var record = sample.record
    for (field, text) in sample.texts { record[field] = block.append(text: text) }
    block.records.append(record)
  }
  return block
}

extension RecordEncoder {
  /// The records alone, without header and footer.
  func text(_ samples: Sample...) -> String { text(samples) }

  /// The records alone, without header and footer.
  func text(_ samples: [Sample]) -> String {
    var output: [UInt8] = []
    append(block(samples), to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// A whole output.
  func document(_ samples: [Sample]) -> [UInt8] {
    var output = header()
    append(block(samples), to: &output)
    return output + footer(isEmpty: samples.isEmpty)
  }
}
