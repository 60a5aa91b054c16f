import SondeAddresses
import SondeRecords
import TestSupport
import Testing

@testable import SondeStore

@Suite struct AnswerCodingTests {
  /// Encodes a block and decodes it again.
  private func throughTheDisk(_ block: RecordBlock, now: Int64 = 1_800_000_000) -> RecordBlock {
    let encoded = EncodedAnswers(block, now: now)
    return decoded(encoded, encoded.bytes)
  }

  private func decoded(_ answers: EncodedAnswers, _ bytes: [UInt8]) -> RecordBlock {
    var stored = StoredAnswers()
    for (position, item) in answers.items.enumerated() {
      let range = item.range.clamped(to: bytes.indices)
      let answer = bytes.span.extracting(range)
      stored.append(answer, to: position, item.address, given: item.given, scope: 1)
    }
    return stored.decoded().block
  }

  private func full(_ address: Address) -> RecordBlock {
    var block = RecordBlock()
    var record = Record(address: address, status: .ok)
    record.source = Source(4)
    record.fetchedAt = 1_799_999_999
    (record.latitude, record.longitude, record.asn) = (-0.0, 180, .max)
    (record.isMobile, record.isProxy, record.isHosting) = (true, false, nil)
    (record.isTor, record.isVPN, record.isRelay) = (nil, false, true)
    record.accuracyRadius = 20_038
    for field in TextField.allCases.dropFirst() {
      record[field] = block.append(text: "Zürich 東京 \(field)")
    }
    block.append(record)
    return block
  }

  @Test func `every field has a bit in the head, by a number that never changes`() {
    #expect(TextField.allCases.count <= UInt32.bitWidth)
    let names = """
      item countryCode country region city postalCode timezone asName isp org hostname message network \
      continentCode regionCode registeredCountryCode database databaseDate asDatabase \
      asDatabaseDate
      """
    let first = names.split(separator: " ").map(String.init)
    #expect(TextField.allCases.prefix(first.count).map { "\($0)" } == first)
  }

  @Test func `control characters that were kept by an earlier version go when they are read`() {
    var block = RecordBlock()
    var record = Record(address: Address(ipv4: 7), status: .ok)
    record.fetchedAt = 1_800_000_000
    record[.city] = block.append(text: "Ber\u{9b}31mlin\u{202e}")
    record[.country] = block.append(text: "Deutsch\u{f6}")
    record[.isp] = block.append(text: "\0")
    block.append(record)
    let read = throughTheDisk(block)
    #expect(read.text(.city, of: read.records[0]) == "Ber 31mlin")
    #expect(read.text(.country, of: read.records[0]) == "Deutsch\u{f6}")
    #expect(read.text(.isp, of: read.records[0]) == nil)
  }

  @Test func `every field comes back`() {
    for address in [Address(ipv4: 0x0102_0304), Address(high: .max, low: 1), Address(ipv4: 0)] {
      let block = full(address)
      let read = throughTheDisk(block)
      #expect(read.contents == block.contents)
      #expect(read.records.map(\.isCached) == [true])
      #expect(read.records[0].latitude.sign == .minus)
    }
  }

  @Test func `every field alone comes back`() {
    var block = RecordBlock()
    func record(_ change: (inout Record) -> Void) {
      var record = Record(address: .numbered(UInt32(block.records.count)), status: .ok)
      record.fetchedAt = 1_800_000_000
      change(&record)
      block.append(record)
    }
    record { _ in }
    for number in 0..<UInt8(Source.limit) { record { $0.source = Source(number) } }
    for flag in [true, false] {
      record { $0.isMobile = flag }
      record { $0.isProxy = flag }
      record { $0.isHosting = flag }
      record { $0.isTor = flag }
      record { $0.isVPN = flag }
      record { $0.isRelay = flag }
    }
    record { $0.latitude = 1.5 }
    record { $0.longitude = 1.5 }
    record { $0.asn = 1 }
    for radius in [0, 1, 20_038] { record { $0.accuracyRadius = UInt16(radius) } }
    for field in TextField.allCases.dropFirst() {
      for length in [1, 127, 128, 300] {
        let range = block.append(text: String(repeating: "ä", count: length))
        record { $0[field] = range }
      }
    }
    #expect(throughTheDisk(block).contents == block.contents)
  }

  @Test func `answers of earlier versions, which lack the further values, are read and written`() {
    var block = RecordBlock()
    var record = Record(address: .numbered(1), status: .ok)
    (record.source, record.fetchedAt, record.asn) = (Source(0), 1_800_000_000, 3333)
    (record.isProxy, record.isHosting) = (true, false)
    record[.countryCode] = block.append(text: "NL")
    record[.regionCode] = block.append(text: "NH")
    block.append(record)
    // As version 0.1 wrote it.
    let earlier: [UInt8] = [
      0x42, 0x18, 0x02, 0x40, 0x05, 0x0d, 0, 0, 2, 2, 0x4e, 0x4c, 0x4e, 0x48,
    ]
    let encoded = EncodedAnswers(block, now: 0)
    #expect(encoded.bytes == earlier)
    let read = decoded(encoded, earlier)
    #expect(read.text(.regionCode, of: read.records[0]) == "NH")
    #expect(read.text(.countryCode, of: read.records[0]) == "NL")
    #expect(read.records[0].asn == 3333 && read.records[0].isProxy == true)
    #expect(read.records.map(\.isTor) == [nil] && read.records.map(\.accuracyRadius) == [nil])
  }

  @Test(arguments: [0, 0b11, 0b0100_0000, 0b1000_0000, 0b1111_1111] as [UInt8])
  func `invalid further values are no answer`(further: UInt8) {
    let item = EncodedAnswers(RecordBlock(1, count: 1), now: 0).items[0]
    var stored = StoredAnswers()
    // The bit of the item announces them; a radius of 65,535 km is impossible.
    let bytes: [UInt8] = [0, 0, 1, 0, further, 255, 255]
    stored.append(bytes.span, to: 0, item.address, given: 1, scope: 1)
    #expect(stored.decoded().block.records.isEmpty)
  }

  @Test func `an unknown address keeps its message, and the time is noted where it is missing`() {
    var block = RecordBlock()
    var record = Record(address: .numbered(1), status: .unknown)
    record[.message] = block.append(text: "ip-api has nothing about it")
    block.append(record)
    let read = throughTheDisk(block, now: 1_800_000_123)
    #expect(read.records.map(\.status) == [.unknown])
    #expect(read.text(.message, of: read.records[0]) == "ip-api has nothing about it")
    #expect(read.records[0].fetchedAt == 1_800_000_123)
  }

  @Test func `only answers are saved, and of them nothing that belongs to an entry`() {
    var block = RecordBlock()
    for status in Status.allCases {
      var record = Record(address: .numbered(UInt32(status.rawValue)), status: status)
      (record.place, record.fetchedAt) = (Place(line: 17, input: 2, offset: 9), 1)
      record[.item] = block.append(text: "eth0")
      block.append(record)
    }
    block.append(Record(address: nil, status: .ok))
    let read = throughTheDisk(block)
    #expect(read.records.map(\.status) == [.ok, .unknown])
    #expect(read.records.map(\.place.line) == [0, 0])
    #expect(read.records.map(\.place.input) == [0, 0])
    #expect(read.records.allSatisfy { read.text(.item, of: $0) == nil })
  }

  @Test func `a long answer is kept, and too long a one is left out`() {
    var block = RecordBlock(1, count: 2)
    for length in [50_000, 70_000] {
      var record = Record(address: .numbered(UInt32(length)), status: .ok)
      record.fetchedAt = block.records[0].fetchedAt
      record[.org] = block.append(text: String(repeating: "x", count: length))
      block.append(record)
    }
    block.append(RecordBlock(3, count: 1).records[0])
    block.records[4].texts = RecordTexts()
    let read = throughTheDisk(block)
    #expect(read.records.compactMap(\.address?.ipv4) == [1, 2, 50_000, 3])
    #expect(read.text(.org, of: read.records[2])?.count == 50_000)
  }

  @Test func `damaged answers never trap, and what is read is valid`() {
    var block = full(.numbered(1))
    for record in full(.numbered(2, isIPv6: true)).records { block.append(record) }
    let answers = EncodedAnswers(block, now: 0)
    var generator = SeededGenerator(seed: 5)
    var outcomes: [Int: Int] = [:]
    for _ in 0..<20_000 {
      var damaged = answers.bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: damaged.indices, using: &generator)
        damaged[index] = .random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) {
        damaged.removeLast(Int.random(in: 0...damaged.count, using: &generator))
      }
      let read = decoded(answers, damaged)
      outcomes[read.records.count, default: 0] += 1
      for record in read.records {
        if abs(record.latitude) > 90 || abs(record.longitude) > 180 { Issue.record("bad number") }
        for field in TextField.allCases where !record[field].isEmpty {
          let start = Int(record[field].offset)
          let text = read.bytes[start..<start + Int(record[field].count)]
          if String(validating: text, as: UTF8.self) == nil { Issue.record("bad text") }
        }
      }
    }
    #expect(Set(outcomes.keys) == [0, 1, 2])
  }
}
