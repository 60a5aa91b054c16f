import SondeAddresses
import SondeSystem
import TestSupport
import Testing

@testable import SondeAnnotate
@testable import SondeRecords

@Suite struct NumberedTextsTests {
  private func text(_ texts: NumberedTexts, _ entry: NumberedTexts.Entry, _ address: Address)
    -> String
  {
    var output: [UInt8] = []
    texts.append(entry, of: address, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `the address stands where the one did that was encoded`() {
    var texts = NumberedTexts(room: 4096)
    for (before, behind) in [("", ""), ("", " b"), ("a ", ""), ("a ", " b")] {
      let whole = Array("\(before)\(texts.standIn)\(behind)".utf8)
      let entry = texts.insert(7, EntryOutcome(status: .ok), whole.span)
      for name in ["8.8.8.8", "2001:db8::1"] {
        let address = Address(ascii: Array(name.utf8).span)
        #expect(address.map { text(texts, entry, $0) } == before + name + behind)
      }
      #expect(texts[7].map { $0.outcome } == EntryOutcome(status: .ok))
    }
    #expect(texts[8] == nil)
  }

  @Test func `a text without the address is the same for all`() {
    var texts = NumberedTexts(room: 4096)
    for words in ["", "8.8.8.8", "Québec, CA"] {
      let entry = texts.insert(1, EntryOutcome(status: .unknown), Array(words.utf8).span)
      #expect(text(texts, entry, Address(ipv4: 0x0808_0808)) == words)
    }
  }

  @Test func `styles say whether they write more than the answer`() {
    func isAlike(_ fields: [Field]) -> Bool {
      JSONStyle(encoder: RecordEncoder(format: .ndjson, fields: fields), key: "sonde")
        .writesAnswersAlike
    }
    #expect(isAlike(Field.standard))
    #expect(isAlike([.ip, .country]))
    for field in [Field.network, .packets, .lastSeen, .added(AddedColumn(name: "x"))] {
      #expect(!isAlike([.ip, field]), "\(field)")
    }
  }
}
