import Glibc
import Testing

@testable import SondeOptions
@testable import SondeReport
@testable import sonde

// The testing library has a type of this name as well.
private typealias ExitStatus = SondeOptions.ExitStatus

@Suite struct ColorTests {
  @Test func `auto is a terminal that wants colors`() {
    let table: [(When, Bool, [String: String], Bool)] = [
      (.auto, true, [:], true),
      (.auto, true, ["TERM": "xterm", "NO_COLOR": ""], true),
      (.auto, false, [:], false),
      (.auto, true, ["NO_COLOR": "1"], false),
      (.auto, true, ["TERM": "dumb"], false),
      (.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true),
      (.never, true, [:], false),
    ]
    for (choice, isTerminal, environment, expected) in table {
      #expect(
        usesColor(choice, isTerminal: isTerminal, environment: environment) == expected,
        "\(choice) \(isTerminal) \(environment)"
      )
    }
  }
}

@Suite struct ExitStatusTests {
  @Test func `numbers are those of the contract`() {
    let numbers: [ExitStatus: Int32] = [
      .success: 0, .failed: 1, .usage: 2, .networkLost: 3, .refused: 4, .inputOutput: 5,
      .hungUp: 129, .interrupted: 130, .terminated: 143,
    ]
    #expect(numbers.count == ExitStatus.allCases.count)
    #expect(numbers.allSatisfy { $0.rawValue == $1 })
  }

  @Test func `the highest reason wins in the order 5, 4, 3, 1`() {
    let order: [ExitStatus] = [.inputOutput, .refused, .networkLost, .failed, .success]
    for (rank, status) in order.enumerated() {
      #expect(ExitStatus.highest(of: order[rank...].reversed()) == status)
    }
    #expect(ExitStatus.highest(of: []) == .success)
    #expect(ExitStatus.highest(of: [.failed, .interrupted, .inputOutput]) == .interrupted)
  }
}

@Suite struct DiagnosticsTests {
  /// What a body writes.
  private func written(quiet: Bool = false, _ body: (Diagnostics) -> Void) -> String {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    body(Diagnostics(isQuiet: quiet, descriptor: ends[1]))
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe read(ends[0], buffer.baseAddress, buffer.count)
    }
    close(ends[0])
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test func `every message is one line with the program's name`() {
    #expect(written { $0.error("no such file") } == "sonde: no such file\n")
  }

  @Test func `quiet keeps errors`() {
    let text = written(quiet: true) { diagnostics in
      diagnostics.error("broken")
      diagnostics.usage(UsageError("no command is given"))
    }
    #expect(text == "sonde: broken\nsonde: no command is given\nTry 'sonde --help'.\n")
  }

  @Test func `control characters are shown escaped`() {
    let text = "a\u{1b}[31m\n\r\t\0\u{7f}\u{85}\u{2028}\u{202e}\u{2066}\u{61c}é日"
    let shown = #"a\x1b[31m\n\r\t\x00\x7f\u{85}\u{2028}\u{202e}\u{2066}\u{61c}é日"#
    #expect(written { $0.error(text) } == "sonde: \(shown)\n")
    #expect(written { $0.error("\r\n") } == "sonde: \\r\\n\n")
  }

  @Test func `a closed descriptor is borne`() {
    #expect(!Diagnostics(descriptor: -1).write("nobody hears this"))
    #expect(written { $0.write("somebody hears this") } == "somebody hears this")
  }

  @Test func `a long word of the user's is cut, and the reason behind it stays`() {
    let name = String(repeating: "x", count: 100_000)
    let text = written { $0.error("\(name): File name too long") }
    #expect(text.count < 600 && text.hasPrefix("sonde: xxx"))
    #expect(text.hasSuffix("xxx: File name too long\n"))
  }
}
