import Foundation
import TestSupport
import Testing

@testable import SondeAddresses

@Suite struct OracleTests {
  /// Python's own parser must be there: without it this is a failure, not a pass.
  @Test(.timeLimit(.minutes(3)))
  func `what is an address, and its text, is what Python's ipaddress says`() throws {
    var source = NearAddresses(generator: SeededGenerator(seed: 0x50_4e_44_45))
    let texts = (0..<150_000).map { _ in source.next() }
    let answers = try Self.ask(texts)
    try #require(answers.count == texts.count)

    var differences: [String] = []
    var accepted = 0
    for (text, answer) in zip(texts, answers) {
      let own = Self.own(text)
      if own != answer { differences.append("\(text): \(own), Python \(answer)") }
      if answer != "-" { accepted += 1 }
    }
    #expect(differences.prefix(20) == [], "\(differences.count) differences")
    // Neither half of the question may have gone missing.
    #expect(accepted > 30_000 && accepted < 120_000)
  }

  /// The answer in the oracle's form: a zone goes by the list parser, which alone takes one.
  private static func own(_ text: String) -> String {
    guard text.contains("%") else { return Address(text)?.description ?? "-" }
    let bytes = Array(text.utf8)
    // White space around an item is no part of it.
    guard text.first != " ", text.last != " " else { return "-" }
    guard case .address(let address, let zone) = ListItem.parse(line: bytes.span) else {
      return "-"
    }
    guard let zone else { return "\(address)" }
    return "\(address)%" + String(decoding: bytes[zone], as: UTF8.self)
  }

  private static func ask(_ texts: [String]) throws -> [String] {
    let question = try ScratchFile(Array(texts.joined(separator: "\n").utf8))
    let answer = try ScratchFile()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "oracle.py")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script.path()]
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: question.path))
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: answer.path))
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "python3 and oracle.py are needed")
    return String(decoding: try contents(of: answer.path), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
