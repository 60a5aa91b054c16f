import SondeSystem
import Testing

@testable import SondeOptions
@testable import SondeRecords
@testable import SondeReport
@testable import sonde

private typealias Screen = LiveLine.Screen

private func text(_ parts: String...) -> ProgressText {
  var text = ProgressText()
  for (rank, part) in parts.enumerated() { text.add(part, rank: rank) }
  return text
}

@Suite struct LiveLineTests {
  private let screen = Screen(width: 40)
  private let erased = "\r\u{1b}[K"

  @Test func `it is drawn again without erasing first, and the cursor rests at its beginning`() {
    var line = LiveLine()
    #expect(line.show(text("1 of 2"), on: screen) == "\r1 of 2\u{1b}[K\r")
    #expect(line.show(text("2 of 2"), on: screen) == "\r2 of 2\u{1b}[K\r")
    #expect(line.end(on: screen) == erased)
    #expect(line.end(on: screen) == "")
  }

  @Test func `records and messages find an empty line, and it comes back below them`() {
    var line = LiveLine()
    #expect(line.put("sonde: a\n", on: screen) == "sonde: a\n")
    #expect(line.outputBegins(on: screen) == "")
    #expect(line.outputEnds(withLine: true, on: screen) == "")
    let drawn = line.show(text("1 of 2"), on: screen)
    #expect(line.put("sonde: b\n", on: screen) == erased + "sonde: b\n" + drawn)
    #expect(line.outputBegins(on: screen) == erased)
    #expect(line.show(text("2 of 2"), on: screen) == "", "not while records are written")
    #expect(line.put("sonde: c\n", on: screen) == "sonde: c\n")
    #expect(line.outputEnds(withLine: true, on: screen) == "\r2 of 2\u{1b}[K\r")
  }

  @Test func `it waits for records that end in the middle of a line, and messages begin one`() {
    var line = LiveLine()
    _ = line.outputBegins(on: screen)
    #expect(line.outputEnds(withLine: false, on: screen) == "")
    #expect(line.show(text("1 of 2"), on: screen) == "")
    #expect(line.put("sonde: a\n", on: screen) == "\nsonde: a\n\r1 of 2\u{1b}[K\r")
  }

  @Test func `in the background nothing is drawn and nothing erased`() {
    var line = LiveLine()
    let away = Screen(width: 40, isOurs: false)
    #expect(line.show(text("1 of 2"), on: screen) != "")
    #expect(line.show(text("2 of 2"), on: away) == "")
    #expect(line.put("sonde: a\n", on: away) == "sonde: a\n")
    #expect(line.outputBegins(on: away) == "")
    #expect(line.outputEnds(withLine: true, on: away) == "")
    #expect(line.show(text("2 of 2"), on: screen) == "\r2 of 2\u{1b}[K\r")
  }

  @Test func `what a narrowed terminal has wrapped goes as well`() {
    var line = LiveLine()
    _ = line.show(text("a line of 21 columns."), on: screen)
    let narrow = Screen(width: 12)
    #expect(
      line.show(text("a line of 21 columns."), on: narrow) == "\r\u{1b}[Ja line of …\u{1b}[K\r"
    )
    #expect(line.put("b\n", on: narrow).hasPrefix(erased + "b\n"))
  }

  @Test(arguments: [1, 2, 10, 39, 40])
  func `it never fills the last column`(width: Int) {
    var line = LiveLine()
    let long = String(repeating: "長い", count: 40)
    let drawn = line.show(text(long), on: Screen(width: width))
    #expect(drawn.count - "\r\u{1b}[K\r".count <= max(1, width - 1))
  }
}

@Suite struct ProgressTextTests {
  @Test func `the parts of the highest rank go first where there is no room`() {
    let whole = text("12 of 40", ", quota: 3 s", " (30 %)", ", 5/s")
    #expect(whole.whole == "12 of 40, quota: 3 s (30 %), 5/s")
    #expect(whole.fitted(to: 32).text == whole.whole)
    #expect(whole.fitted(to: 31).text == "12 of 40, quota: 3 s (30 %)")
    #expect(whole.fitted(to: 26).text == "12 of 40, quota: 3 s")
    #expect(whole.fitted(to: 8).text == "12 of 40")
    #expect(whole.fitted(to: 5).text == "12 o…")
  }

  @Test func `control characters are escaped, and wide ones counted as such`() {
    #expect(text("a\u{1b}[2J\u{202e}").fitted(to: 80).text == #"a\x1b[2J\u{202e}"#)
    #expect(text("日本").fitted(to: 80).columns == 4)
  }
}

@Suite struct WrappingTests {
  @Test func `lines end at spaces and the next ones are indented`() {
    #expect(
      wrapped("sonde: the quick brown fox", width: 14, indent: (0, 2))
        == "sonde: the\n  quick brown\n  fox"
    )
    #expect(wrapped("no room needed", width: 14, indent: (0, 2)) == "no room needed")
  }

  @Test func `a word wider than a line stays whole, and blanks of a name stay`() {
    #expect(wrapped("a 0123456789 b", width: 6, indent: (0, 1)) == "a\n 0123456789\n b")
    #expect(wrapped("a  b", width: 40, indent: (0, 2)) == "a  b")
    #expect(wrapped("", width: 3, indent: (0, 2)) == "")
  }

  @Test func `wide characters count twice`() {
    #expect(wrapped("日本 日本", width: 8, indent: (0, 0)) == "日本\n日本")
    #expect(wrapped("日本 日本", width: 9, indent: (0, 0)) == "日本 日本")
  }
}

@Suite struct ProgressChoiceTests {
  @Test func `by default a terminal shows it that can erase, unless all is to be quiet`() {
    typealias Progress = Console.Progress
    func progress(
      _ choice: When,
      quiet: Bool = false,
      terminal: Bool = true,
      term: String = "xterm"
    )
      -> Progress
    {
      Progress(choice, isQuiet: quiet, isTerminal: terminal, environment: ["TERM": term])
    }
    #expect(progress(.auto) == .live)
    #expect(progress(.auto, quiet: true) == .none)
    #expect(progress(.auto, terminal: false) == .none)
    #expect(progress(.auto, term: "dumb") == .none)
    #expect(progress(.always, quiet: true) == .live)
    #expect(progress(.always, terminal: false) == .lines)
    #expect(progress(.always, term: "dumb") == .lines)
    #expect(progress(.never) == .none)
  }
}
