import Foundation
import Testing

@testable import SondeOptions
@testable import sonde

@Suite struct HelpTests {
  @Test func `the help of the program is this`() {
    #expect(Help.text(for: nil) == HelpSnapshot.overview)
  }

  @Test(arguments: CommandName.allCases)
  func `the help of each command is this`(command: CommandName) {
    #expect(Help.text(for: command) == HelpSnapshot.commands[command])
  }

  /// `SONDE_TAKE_HELP=1 swift test --filter HelpTests` takes over what help says now; what that changes
  /// is seen with `git diff`.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["SONDE_TAKE_HELP"] != nil))
  func `the snapshot is taken anew`() throws {
    let path = #filePath.replacing("HelpTests.swift", with: "HelpSnapshot.swift")
    let old = try String(contentsOfFile: path, encoding: .utf8)
    let head = try #require(old.firstRange(of: "  static let overview = ")).lowerBound
    var text = old[..<head] + "  static let overview = \(literal(Help.text(for: nil)))\n"
    text += "  static let commands: [CommandName: String] = [\n"
    for command in CommandName.allCases {
      text += "    .\(command): \(literal(Help.text(for: command))),\n"
    }
    try Data("\(text)  ]\n}\n".utf8).write(to: URL(fileURLWithPath: path))
  }

  private func literal(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let indented = lines.map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
    return "#\"\"\"\n\(indented)\n    \"\"\"#"
  }

  @Test(arguments: [56, 64, 80])
  func `no line is wider than the terminal or ends in a space`(width: Int) {
    let layout = HelpLayout(width: width)
    let texts = [nil] + CommandName.allCases
    let lines = texts.flatMap { Help.text(for: $0, in: layout).split(separator: "\n") }
    let examples = CommandName.allCases.flatMap(\.row.examples) + Help.overviewExamples
    let unbroken = Set(examples.map { "  " + $0.line })
    let wide = lines.filter { $0.count > width && !unbroken.contains(String($0)) }
    #expect(wide == [] && lines.filter { $0.hasSuffix(" ") } == [])
    #expect(lines.filter { !$0.utf8.allSatisfy { (0x20..<0x7f).contains($0) } } == [])
  }

  @Test(arguments: CommandName.allCases)
  func `help shows the options that the parser takes`(command: CommandName) {
    let text = Help.text(for: command)
    #expect(command.options.filter { !text.contains(" \($0.option)") }.map(\.name) == [])
  }

  @Test func `commands that send say what goes where`() {
    let sending = CommandName.allCases.filter { command in
      Help.text(for: command).contains("Privacy:\n  With the free ip-api endpoint")
    }
    #expect(sending == [.scan, .lookup, .me, .plan, .annotate, .upgrade, .summary, .serve])
  }

  @Test func `the examples are understood`() {
    let lines = CommandName.allCases.flatMap {
      $0.row.examples.map(\.line)
    }
    let wrong = lines.compactMap { line -> String? in
      let command = line.drop { $0 != "s" }.split(whereSeparator: { "|>)<(".contains($0) })
      let own = command.map { $0.drop { $0 == " " } }.first { $0.hasPrefix("sonde ") } ?? "sonde"
      return complaint(String(own.dropFirst("sonde ".count))).map { "\(line): \($0)" }
    }
    #expect(wrong == [])
  }

  @Test func `a row too wide for the column has its explanation below`() {
    let rows = [
      HelpLayout.Row(left: "short", right: "one"),
      HelpLayout.Row(left: String(repeating: "x", count: 40), right: "two"),
    ]
    let wide = "  " + String(repeating: "x", count: 40)
    #expect(HelpLayout().section("Head", rows) == "Head:\n  short  one\n\(wide)\n         two")
    #expect(HelpLayout().section("Head", []) == "")
  }

  @Test func `the version is one line`() {
    #expect(Version.text == "sonde \(Version.number)\n")
  }
}
