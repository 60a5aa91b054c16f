import SondeAddresses
import SondeRecords
import Testing

@testable import SondeCompare

@Suite struct ComparisonTests {
  private let addresses = ["8.8.8.8", "2001:4860::1"].compactMap { Address($0) }

  private func block(_ make: (inout RecordBlock, inout Record, Int) -> Void) -> RecordBlock {
    var block = RecordBlock()
    for (index, address) in addresses.enumerated() {
      var record = Record(address: address, status: .ok)
      make(&block, &record, index)
      block.records.append(record)
    }
    return block
  }

  private func comparison() -> Comparison {
    Comparison(
      ComparedSource.named(
        providers: ["ip-api", "local"],
        local: "local",
        databases: [],
        hasTruth: false
      )
    )
  }

  private var answers: [RecordBlock] {
    [
      block { block, record, index in
        if index == 0 {
          record[.countryCode] = block.append(text: "us")
          (record.latitude, record.longitude) = (37.5, -122)
          record.asn = 15169
          record.isCached = true
        } else {
          record.status = .failed
          record[.message] = block.append(text: "ip-api: timed out")
        }
      },
      block { block, record, index in
        record.status = index == 0 ? .ok : .unknown
        if index == 0 { record[.countryCode] = block.append(text: "US") }
        record[.message] = block.append(text: "local has nothing about it")
      },
    ]
  }

  @Test func `a record has the verdict, and what each source says`() {
    let comparison = comparison()
    let block = comparison.records(of: addresses, from: answers)
    let encoder = RecordEncoder(
      format: .csv,
      fields: comparison.fields,
      added: [FoundColumns(columns: comparison.columns)]
    )
    var bytes = encoder.header()
    encoder.append(block, to: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        ip,status,country_code,agreement,distance_km,as_agreement,confidence,message,line,\
        ip_api_status,ip_api_country_code,ip_api_city,ip_api_latitude,ip_api_longitude,ip_api_asn,\
        local_status,local_country_code,local_city,local_latitude,local_longitude,local_asn
        8.8.8.8,ok,US,1,,1,high,local has nothing about it,,ok,US,,37.5,-122,15169,ok,US,,,,
        2001:4860::1,failed,,,,,,ip-api: timed out; local has nothing about it,,failed,,,,,,unknown,,,,,

        """
    )
    #expect(block.records.map(\.isCached) == [true, false])
    #expect(block.records.map { $0.faults.hasFailed(0) } == [false, true])
    #expect(block.records[0].latitude == 37.5)
  }

  @Test func `what the sources say is read from records again`() {
    let comparison = comparison()
    let block = comparison.records(of: addresses, from: answers)
    for (index, record) in block.records.enumerated() {
      #expect(
        comparison.opinions(of: record, bytes: block.bytes.span)
          == answers.map { Opinion($0.records[index], of: $0) }
      )
    }
    let reserved = Record(address: Address("10.0.0.1"), status: .reserved)
    #expect(comparison.opinions(of: reserved, bytes: block.bytes.span) == [])
  }
}

/// Columns whose values come with the records.
private struct FoundColumns: ColumnSource {
  let columns: [AddedColumn]
}
