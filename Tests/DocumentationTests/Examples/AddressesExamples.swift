import SondeAddresses
import Testing

@Suite struct AddressesExamples {
  @Test func address() throws {
    // example: Address
    let address = try #require(Address("2001:DB8:0:0:0:0:0:1"))
    #expect("\(address)" == "2001:db8::1")
    #expect(!address.isIPv4 && address.low == 1)

    let mapped = try #require(Address("::ffff:8.8.8.8"))
    #expect(mapped == Address(ipv4: 0x0808_0808))
    #expect("\(mapped)" == "8.8.8.8")

    // A leading zero is octal to some programs.
    #expect(Address("01.2.3.4") == nil)
    // end
  }

  @Test func addressRange() throws {
    // example: AddressRange
    let block = AddressRange(block: try #require(Address("8.26.56.25")), length: 30)
    #expect("\(block.first)" == "8.26.56.24")
    #expect("\(block[3])" == "8.26.56.27")
    #expect(block.countText == "4")
    #expect(block.exceeds(3))
    // end
  }

  @Test func listItem() {
    // example: ListItem
    let lines = ["8.8.8.8  # a resolver", "8.26.56.24/30", "# nothing else", "256.1.1.1"]
    var words: [String] = []
    for line in lines {
      switch ListItem.parse(line: line.utf8Span.span) {
      case .nothing: continue
      case .address(let address, zone: _): words.append("\(address)")
      case .range(let range): words.append("\(range.first) and \(range.lastOffset) more")
      case .invalid(let fault): words.append(fault.message)
      }
    }
    #expect(
      words == ["8.8.8.8", "8.26.56.24 and 3 more", "column 1: octet 256 is over 255"]
    )
    // end
  }

  @Test func logSearch() {
    // example: searchLog
    let line = #"8.8.8.8 - "GET http://[2001:db8::1]:8080/" "Mozilla/5.0 Chrome/120.0.0.0"#
    var matches: [LogMatch] = []
    searchLog(line.utf8Span.span, into: &matches)
    #expect(matches.map { "\($0.address)" } == ["8.8.8.8", "2001:db8::1"])
    #expect(matches[1].start == 23 && matches[1].end == 34)
    // end
  }

  @Test func logCut() {
    // example: LogCut
    // Two halves of a text, searched by two threads.
    let text = "from 8.8.8.8\nfrom 9.9.9.9\n".utf8Span.span
    guard let cut = LogCut.first(in: text, at: text.count / 2) else { return }
    var (first, second): ([LogMatch], [LogMatch]) = ([], [])
    searchLog(text, from: 0, to: cut, into: &first)
    searchLog(text, from: cut.offset, into: &second)
    #expect("\(first.map(\.address)) \(second.map(\.address))" == "[8.8.8.8] [9.9.9.9]")
    // end
  }

  @Test func distinctSet() throws {
    // example: DistinctSet
    var seen = DistinctSet()
    #expect(seen.insert(try #require(Address("8.8.8.8"))))
    #expect(!seen.insert(try #require(Address("::ffff:8.8.8.8"))))
    #expect(seen.count == 1)
    // end
  }

  @Test func specialPurpose() {
    // example: SpecialPurposeBlock
    let message = Address("10.0.0.1")?.specialPurpose?.message
    #expect(message == "10.0.0.0/8 Private-Use (RFC 1918)")
    #expect(Address("8.8.8.8")?.specialPurpose == nil)
    // NAT64 would lead to 10.0.0.1.
    #expect(Address("64:ff9b::10.0.0.1")?.isPublic == false)
    // end
  }
}
