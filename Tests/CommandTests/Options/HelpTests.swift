import Foundation
import Testing

@testable import SondeOptions
@testable import sonde

/// The help texts, letter by letter: scripts and people rely on what they say.
@Suite struct HelpTests {
  @Test(arguments: [nil] + CommandName.allCases)
  func `help is this`(of command: CommandName?) throws {
    #expect(Help.text(for: command) == (try String(contentsOf: file(of: command), encoding: .utf8)))
  }

  /// `SONDE_TAKE_HELP=1 swift test --filter HelpTests` accepts the present help; `git diff` shows the
  /// changes.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["SONDE_TAKE_HELP"] != nil),
    arguments: [nil] + CommandName.allCases
  )
  func `the present help is accepted`(of command: CommandName?) throws {
    try Help.text(for: command).write(to: file(of: command), atomically: true, encoding: .utf8)
  }

  private func file(of command: CommandName?) -> URL {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return folder.appending(path: "Help/\(command.map { "\($0)" } ?? "overview").txt")
  }

  @Test(arguments: [56, 64, 80])
  func `no line is wider than the terminal or ends in a space`(width: Int) {
    let layout = HelpLayout(width: width)
    let texts = [nil] + CommandName.allCases
    let lines = texts.flatMap { Help.text(for: $0, in: layout).split(separator: "\n") }
    let examples = CommandName.allCases.flatMap(\.row.examples) + Help.overviewExamples
    let unbroken = Set(examples.map { "  " + $0.key })
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
    #expect(
      sending == [
        .scan, .lookup, .me, .plan, .annotate, .upgrade, .compare, .summary, .block, .guard, .serve,
      ]
    )
  }

  @Test func `the examples are understood`() {
    let lines = CommandName.allCases.flatMap(\.row.examples).map { $0.key }
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
