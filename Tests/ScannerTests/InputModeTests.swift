import TestSupport
import Testing

@testable import SondeInputs

@Suite struct InputModeTests {
  private func guess(_ text: String, isWhole: Bool = true) -> InputMode? {
    var text = text
    return text.withUTF8 { unsafe InputMode.guess($0.span, isWhole: isWhole) }
  }

  @Test func `nine items in ten lines that say anything are a list`() {
    let items = String(repeating: "8.8.8.8\n", count: 9)
    #expect(guess(items + "who?") == .list)
    #expect(guess(items + "# a comment\n\nwho?\n") == .list)
    #expect(guess(items + "who?\nwhat?\n") == .log)
    #expect(guess("10.0.0.0/8\n1.1.1.1-1.1.1.9 # range\n") == .list)
    #expect(guess("1.1.1.1 - - [17/May/2015] \"GET /\"\n") == .log)
  }

  @Test func `the first hundred lines decide`() {
    let list = String(repeating: "8.8.8.8\n", count: 100)
    #expect(guess(list + String(repeating: "x\n", count: 900), isWhole: false) == .list)
    #expect(guess(String(repeating: "8.8.8.8\n", count: 99), isWhole: false) == nil)
    #expect(guess(String(repeating: "x\n", count: 11) + list) == .log)
  }

  @Test func `what says nothing is a list`() throws {
    #expect(guess("# nothing\n\n") == nil)
    let file = try ScratchFile(Array("# nothing\n".utf8))
    #expect(try InputMode.guess(path: file.path) == .list)
  }

  @Test func `a file that is not there cannot be guessed`() {
    #expect(throws: InputError.self) { _ = try InputMode.guess(path: "/nowhere/at/all") }
  }
}
