import SondeInputs
import Testing

@testable import sonde

@Suite struct InputTests {
  @Test func `a dash is stdin, an address, block or range itself, anything else a file`() {
    let literals = [
      "8.8.8.8", "2001:db8::1", "::ffff:8.8.8.8", "10.0.0.0/8", "8.8.8.5/30", "::/0",
      "1.1.1.1-1.1.1.9",
      "fe80::1%eth0", " 8.8.8.8 ",
    ]
    for text in literals { #expect(Input(operand: text) == .literal(text)) }
    let files = [
      "list.txt", "./8.8.8.8", "/8.8.8.8", "8.8.8", "8.8.8.8.", "8.8.8.8:53", "010.1.1.1",
      "1.1.1.9-1.1.1.1",
      "8.8.8.8/33", "fe80::1/64%eth0", "--", "", " ", "#", "8.8.8.8#1", "8.8.8.8 # copy", "a,b",
    ]
    for text in files { #expect(Input(operand: text) == .file(text)) }
    #expect(Input(operand: "-") == .standardInput)
  }
}
