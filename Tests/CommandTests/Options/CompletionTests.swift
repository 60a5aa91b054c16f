import Foundation
import TestSupport
import Testing

@testable import SondeOptions
@testable import SondeRecords
@testable import sonde

@Suite struct CompletionTests {
  /// Where a shell is; `nil` if it is not installed.
  private static func path(of shell: Shell) -> String? {
    ["/bin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + shell.rawValue }
      .first(where: FileManager.default.isExecutableFile)
  }

  /// Feeds a script to a shell, in a folder that holds `my list.txt` alone.
  private func run(
    _ shell: Shell,
    _ arguments: [String],
    _ script: String
  ) throws -> (status: Int32, output: [String]) {
    let path = try #require(Self.path(of: shell))
    let folder = try ScratchFolder()
    let files = URL(filePath: folder.file("files"))
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Data().write(to: files.appendingPathComponent("my list.txt"))
    let file = try ScratchFile(Array(script.utf8))

    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments + [file.path]
    process.currentDirectoryURL = files
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    return (process.terminationStatus, lines)
  }

  @Test(arguments: Shell.allCases.filter { path(of: $0) != nil })
  func `the script has no syntax error`(shell: Shell) throws {
    let (status, output) = try run(shell, ["-n"], shell.completions)
    #expect(status == 0)
    #expect(output == [])
  }

  @Test(arguments: Shell.allCases)
  func `every command and every option is in the script`(shell: Shell) {
    let script = shell.completions
    let absent = CommandName.allCases.map(\.rawValue).filter { !script.contains($0) }
    #expect(absent == [])
    let options = CommandName.allCases.flatMap(\.options).map(\.name)
    #expect(options.filter { !script.contains($0) } == [])
    #expect(!script.contains("ip-api-key"))
  }

  /// The forms that can be asked for.
  private static let formats = Format.all.filter { $0 != .card }.map(\.name)

  /// Words typed so far, and what bash offers: its own splitting at `=` included.
  private static let typed: [(words: [String], offers: [String])] = [
    ([""], CommandName.allCases.map(\.rawValue)),
    (["sc"], ["scan"]),
    (["--format", "csv", "lo"], ["lookup"]),
    (["--format", "=", "csv", "lo"], ["lookup"]),
    (["-"], ["-h", "--help", "-V", "--version"]),
    (["scan", "--form"], ["--format"]),
    (["scan", "--format", ""], formats),
    (["scan", "--format", "="], formats),
    (["scan", "--format", "=", "n"], ["ndjson"]),
    (["watch", "--format", ""], ["text", "ndjson"]),
    (["status", "--format", "=", "j"], ["json"]),
    (["--format", "c"], ["csv", "caddy"]),
    (["scan", "--provider", "local,ipi"], ["local,ipinfo", "local,ipinfo-lite"]),
    (["scan", "--fields", "ip,+prox"], ["ip,+proxy"]),
    (["scan", "-o", "m"], ["my list.txt"]),
    (["scan", "m"], ["my list.txt"]),
    (["scan", "--", "--o"], []),
    (["scan", "--rate", ""], []),
    (["me", "--uniq"], []),
    (["me", ""], []),
    (["extract", "--uniq"], ["--unique"]),
    (["completions", ""], ["bash", "zsh", "fish"]),
    (["help", "sc"], ["scan"]),
    (["help", "scan", ""], []),
    (["quota", ""], ["list", "reset"]),
    (["quota", "-q", "reset", ""], []),
    (["serve", ""], ["link", "user"]),
    (["serve", "--state", "x", "user", "re"], ["reset", "remove"]),
    (["serve", "user", "list", ""], []),
    (["serve", "link", ""], []),
  ]

  @Test(.enabled(if: path(of: .bash) != nil))
  func `bash offers what fits`() throws {
    let calls = Self.typed.map { typed in
      let words = (["sonde"] + typed.words).map { "'\($0)'" }.joined(separator: " ")
      return """
        COMP_WORDS=(\(words)); COMP_CWORD=\(typed.words.count); _sonde
        IFS='|'; echo ":${COMPREPLY[*]}"; unset IFS
        """
    }
    let script = Shell.bash.completions + calls.joined(separator: "\n")
    let (_, output) = try run(.bash, ["--norc"], script)
    #expect(output == Self.typed.map { ":" + $0.offers.joined(separator: "|") })
  }

  @Test(.enabled(if: path(of: .fish) != nil))
  func `fish offers what fits`() throws {
    let table: [(String, [String])] = [
      ("sonde sc", ["scan"]),
      ("sonde --format csv lo", ["lookup"]),
      ("sonde scan --form", ["--format"]),
      ("sonde scan --format ", Self.formats.sorted()),
      ("sonde scan --format=n", ["--format=ndjson"]),
      ("sonde scan --provider local,ipi", ["local,ipinfo", "local,ipinfo-lite"]),
      ("sonde scan -o m", ["my list.txt"]),
      ("sonde scan m", ["my list.txt"]),
      ("sonde me --uniq", []),
      ("sonde extract --uniq", ["--unique"]),
      ("sonde completions ", ["bash", "fish", "zsh"]),
      ("sonde help scan ", []),
      ("sonde quota ", ["list", "reset"]),
      ("sonde quota -q reset ", []),
      ("sonde serve ", ["link", "user"]),
      ("sonde serve --state x user re", ["remove", "reset"]),
      ("sonde serve user list ", []),
    ]
    let calls = table.map { line, _ in
      """
      set found (complete -C '\(line)' | string replace -r '\\t.*' '' | sort | string join '|')
      echo ":$found"
      """
    }
    let script = Shell.fish.completions + calls.joined(separator: "\n")
    let (_, output) = try run(.fish, ["--no-config"], script)
    #expect(output == table.map { ":" + $0.1.joined(separator: "|") })
  }

  @Test(.enabled(if: path(of: .zsh) != nil))
  func `zsh loads the script and hands it the command`() throws {
    let script = """
      autoload -U compinit; compinit -D -u
      \(Shell.zsh.completions)
      print -r -- $_comps[sonde]
      """
    let (status, output) = try run(.zsh, ["-f"], script)
    #expect(status == 0)
    #expect(output == ["_sonde"])
  }
}
