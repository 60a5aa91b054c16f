import SondeAddresses
import Testing

@testable import SondeRecords

@Suite struct GeoJSONTests {
  private func document(_ samples: Sample..., fields: [Field] = Field.standard) -> String {
    let encoder = RecordEncoder.sample(.geojson, fields: fields)
    return String(decoding: encoder.document(samples), as: UTF8.self)
  }

  private static let place = #"{"type":"Point","coordinates":[-77.5,39.03]}"#

  @Test func `features are in one collection, the longitude first`() {
    let begin = #"{"type":"FeatureCollection","features":["#
    #expect(document() == begin + "]}\n")
    let google =
      #"{"type":"Feature","geometry":\#(Self.place),"properties":\#(JSONTests.google)}"#
    let reserved = #"{"type":"Feature","geometry":null,"properties":\#(JSONTests.reserved)}"#
    #expect(document(.google, .private) == "\(begin)\n\(google),\n\(reserved)\n]}\n")
  }

  @Test func `the place does not depend on the columns`() {
    let text = document(.google, fields: [.fetchedAt])
    #expect(text.contains(#""geometry":\#(Self.place),"properties":{"fetched_at":"2026-11"#))
  }

  @Test func `half a place is none, the widest is one`() {
    var sample = Sample.google
    sample.record.latitude = .nan
    #expect(document(sample, fields: [.ip]).contains(#""geometry":null,"#))
    sample = .google
    (sample.record.latitude, sample.record.longitude) = (-1.5e-300, -179.99999999999997)
    let places = "[-179.99999999999997,-1.5e-300]"
    for field in Field.allCases { #expect(document(sample, fields: [field]).contains(places)) }
  }
}
