import SondeAddresses
import SondeRecords
import Testing
import SondeSystem

@Suite struct RecordsExamples {
  @Test func recordBlock() {
    // example: RecordBlock
    var block = RecordBlock()
    var record = Record(address: Address("8.8.8.8"), status: .ok)
    record[.city] = block.append(text: "Mountain View")
    record.asn = 15169
    block.records.append(record)
    #expect(block.text(.city, of: record) == "Mountain View")
    #expect(block.text(.region, of: record) == nil)
    // end
  }

  @Test func recordEncoder() {
    // example: RecordEncoder
    var block = RecordBlock()
    for text in ["8.8.8.8", "9.9.9.9"] {
      var record = Record(address: Address(text), status: .ok)
      record[.city] = block.append(text: "Berkeley, CA")
      block.records.append(record)
    }
    let encoder = RecordEncoder(format: .csv, fields: [.ip, .status, .city])
    var output = encoder.header()
    encoder.append(block, to: &output)
    output += encoder.footer(isEmpty: block.records.isEmpty)
    let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
    #expect(
      lines == ["ip,status,city", #"8.8.8.8,ok,"Berkeley, CA""#, #"9.9.9.9,ok,"Berkeley, CA""#]
    )
    // end
  }

  @Test func format() {
    // example: Format
    #expect(Format(name: "csv") == .csv)
    #expect(Format(path: "out/LIST.JSONL") == .ndjson)
    #expect(Format(path: "list.pdf") == nil)
    #expect(Format.table.isForPerson)
    // end
  }

  @Test func fieldSelection() throws {
    // example: FieldSelection
    #expect(try FieldSelection("ip, asn").fields() == [.ip, .asn])
    #expect(try FieldSelection("+hosting").fields() == Field.standard + [.hosting])
    let error = #expect(throws: FieldListError.self) { try FieldSelection("ip,countrycode") }
    #expect(error?.description == "there is no column 'countrycode': did you mean 'country_code'?")
    // end
  }

  @Test func tally() {
    // example: Tally
    var tally = Tally()
    tally.entries = 2
    tally.duplicates = 1
    tally.count(Record(address: Address("10.0.0.1"), status: .reserved))
    #expect(tally.reserved == 1 && tally.records == 1)
    #expect(tally.balances)
    // end
  }

  @Test func timestamp() {
    // example: Timestamp
    let moment = Timestamp(milliseconds: 1_792_000_000_125)
    #expect(moment.withMilliseconds == "2026-10-14T17:46:40.125Z")
    #expect(moment.wholeSeconds == "2026-10-14T17:46:40Z")
    // end
  }

  @Test func jsonObject() {
    // example: JSONObject
    var object = JSONObject()
    object.add("event", "quota")
    object.add("wait_ms", 1500)
    #expect(String(decoding: object.bytes, as: UTF8.self) == #"{"event":"quota","wait_ms":1500}"#)
    // end
  }
}
