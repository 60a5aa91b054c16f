import SondeAddresses
import SondeSystem
import Testing

@testable import SondeRecords

@Suite struct TableTests {
  private func lines(
    _ samples: [Sample],
    fields: [Field] = Field.table,
    width: Int? = nil,
    colors: Bool = false
  ) -> [String] {
    let encoder = RecordEncoder.sample(.table, fields: fields, width: width, colors: colors)
    let text = String(decoding: encoder.document(samples), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test func `columns begin at the same place in every line`() {
    let lost = Sample(Address(ipv4: 0x0909_0909), .networkLost, [.message: "no route"])
    let invalid = Sample(nil, .invalid, [.item: "1.2.3", .message: "column 1: three octets"])
    #expect(
      lines([.google, .quad9v6, .private, lost, invalid]) == [
        "ip                    status    country_code  city              as_name"
          + "                       source",
        "8.8.8.8               ok        US            Ashburn           Google LLC"
          + "                    ip-api",
        "2620:fe::fe           ok        US            Berkeley          Quad9"
          + "                         ipinfo",
        "10.0.0.1              reserved  Private-Use (RFC 1918)",
        "9.9.9.9               network_lost  no route",
        "1.2.3                 invalid   column 1: three octets",
      ]
    )
  }

  @Test func `a table is as wide as the terminal`() {
    #expect(
      lines([.google, .private], width: 80) == [
        "ip               status    country_code  city        as_name         source",
        "8.8.8.8          ok        US            Ashburn     Google LLC      ip-api",
        "10.0.0.1         reserved  Private-Use (RFC 1918)",
      ]
    )
    var long = Sample.google
    long.texts[.city] = "Llanfairpwllgwyngyll"
    long.texts[.asName] = "東京電力ホールディングス株式会社"
    #expect(
      lines([long], width: 80)[1]
        == "8.8.8.8          ok        US            Llanfairp…  東京電力ホー…   ip-api"
    )
    #expect(lines([long])[1].contains("  Llanfairpwllgwyngyll  東京電力ホールディングス株式会社  ip-api"))
  }

  @Test func `no line is wider than the terminal, unless the address is`() {
    var long = Sample.google
    for field in TextField.allCases where field != .item {
      long.texts[field] = String(repeating: "日本 e\u{301}\u{1b}x", count: 40)
    }
    long.record.address = Address(high: 0x2001_0db8_1111_2222, low: 0x3333_4444_5555_6666)
    var failed = long
    failed.record.status = .failed
    var invalid = failed
    invalid.record.address = nil
    invalid.texts[.item] = String(repeating: "a\n", count: 128)
    let addresses = ["2001:db8:1111:2222:3333:4444:5555:6666", "8.8.8.8"]
    var differences: [String] = []
    for width in 1...200 {
      for fields in [Field.table, Field.standard, [.city, .ip], [.ip]] {
        for line in lines([long, failed, invalid, .google], fields: fields, width: width) {
          let columns = line.unicodeScalars.reduce(0) { $0 + $1.columns }
          let endsInAddress = addresses.contains { line.hasSuffix($0) }
          if columns > width && !endsInAddress { differences.append("\(width): \(line)") }
          if line.last == " " { differences.append("blank at the end: \(line)") }
        }
      }
    }
    #expect(differences == [])
  }

  @Test func `an address is never cut`() {
    let address = Address(high: 0x2001_0db8_1111_2222, low: 0x3333_4444_5555_6666)
    let text = "2001:db8:1111:2222:3333:4444:5555:6666"
    #expect(lines([Sample(address, .ok)], width: 10) == ["ip", text])
    let below = String(repeating: " ", count: 17) + "ok"
    #expect(lines([Sample(address, .ok)], width: 80)[1...] == [text, below])
    #expect(lines([Sample(address, .ok)])[1] == text + "  ok", "lines that are not cut are one")
    #expect(lines([Sample(address, .ok)], fields: [.city, .ip], width: 5)[1].hasSuffix(text))
    let linkLocal = Address(high: 0xfe80 << 48, low: 1)
    let zone = Sample(linkLocal, .reserved, [.item: "eth\u{1b}0", .message: "Link-Local"])
    let reserved = String(repeating: " ", count: 17) + "reserved  Link-Local"
    #expect(lines([zone], width: 80)[1...] == ["fe80::1%eth\\x1b0", reserved])
  }

  @Test func `columns make room for the addresses that are to come, as far as there is any`() {
    func starts(of addresses: [Address], width: Int?) -> [Int] {
      let encoder = RecordEncoder.sample(.table, fields: Field.table, width: width)
      encoder.prepare(for: addresses.map { Record(address: $0, status: .ok) })
      let header = String(decoding: encoder.header(), as: UTF8.self)
      return ["status", "countr", "city", "as_name"].compactMap { name in
        header.firstRange(of: name).map {
          header.distance(from: header.startIndex, to: $0.lowerBound)
        }
      }
    }
    let long = Address(high: 0x2001_0db8_1111_2222, low: 0x3333_4444_5555_6666)
    let short = Address(ipv4: 0x0808_0808)
    #expect(starts(of: [short], width: 80) == [17, 27, 41, 53])
    #expect(starts(of: [short, long], width: 80) == [33, 43, 52, 62])
    #expect(starts(of: [short, long], width: 120).first == 40)
    #expect(starts(of: [short, long], width: nil).first == 40)
    #expect(starts(of: [short, long], width: 40) == starts(of: [short], width: 40))
  }

  @Test func `what a provider or an input says cannot move the cursor`() {
    var sample = Sample.google
    sample.texts[.city] = "\u{1b}[2J\u{9b}x\u{202e}\n"
    let line = lines([sample])[1]
    #expect(line.contains("\\x1b[2J\\u{9b}x\\u{202e}\\n"))
    #expect(line.unicodeScalars.allSatisfy { !$0.isEscapedForPerson })
  }

  @Test func `a message stands where columns are empty, or in its own`() {
    let fields: [Field] = [.ip, .status, .city, .line]
    var sample = Sample.private
    sample.record.place.line = 7
    #expect(
      lines([sample], fields: fields)[1]
        == "10.0.0.1              reserved                    7         Private-Use (RFC 1918)"
    )
    #expect(
      lines([sample], fields: [.ip, .message, .line])[1]
        == "10.0.0.1              Private-Use (RFC 1918)        7"
    )
    var stale = Sample.google
    stale.texts[.message] = "expired"
    #expect(!lines([stale])[1].contains("expired"))
  }

  @Test func `only the status is coloured, and only when asked`() {
    let colors = [
      Status.ok: 32, .unknown: 33, .reserved: 36, .invalid: 31, .failed: 31, .networkLost: 35,
    ]
    for status in Status.allCases {
      let sample = Sample(Address(ipv4: 0x0808_0808), status, [.city: "Ashburn"])
      let line = lines([sample], colors: true)[1]
      let plain = lines([sample])[1]
      let colored = "\u{1b}[\(colors[status] ?? 0)m\(status.name)\u{1b}[0m"
      #expect(line == plain.replacing(status.name, with: colored))
      #expect(!plain.contains("\u{1b}"))
    }
  }
}
