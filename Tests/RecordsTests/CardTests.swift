import SondeAddresses
import Testing

@testable import SondeRecords

@Suite struct CardTests {
  private func card(_ message: String, width: Int?) -> String {
    let sample = Sample(Address(ipv4: 0x0808_0808), .failed, [.message: message])
    let encoder = RecordEncoder.sample(.card, fields: [.ip, .message], width: width)
    return encoder.text(sample)
  }

  @Test func `a value goes on on further lines at its words, below itself`() {
    let margin = String(repeating: " ", count: 18)
    #expect(
      card("the quick brown fox jumps over the lazy dog", width: 40)
        == "8.8.8.8\n  message         the quick brown fox\n\(margin)jumps over the lazy\n\(margin)dog\n\n"
    )
    #expect(card("as long as that", width: nil) == "8.8.8.8\n  message         as long as that\n\n")
    #expect(
      card("too narrow for it", width: 30) == "8.8.8.8\n  message         too narrow for it\n\n"
    )
  }

  @Test func `whatever a value holds there is room for it`() {
    let words = ["\u{1b}", "\u{202e}", "a", "東", "\u{7f}\u{7f}", "\u{1b}\u{202e}\u{1b}"]
    for width in 36...60 {
      for word in words {
        for count in [1, 2, 3, 17, 18, 19, 60, 200] {
          let spaced = Array(repeating: word, count: count).joined(separator: " ")
          let joined = String(repeating: word, count: count)
          for message in [spaced, joined, joined + " " + spaced] {
            let lines = card(message, width: width).split(separator: "\n")
            #expect(lines.count >= 2)
          }
        }
      }
    }
  }
}
