import SondeDashboard
import Foundation
import SondeRecords
import Testing

/// A text of the table that the page's own check is held to as well, and what is to be said of it.
private struct Case: Decodable {
  let text: String?
  let state: String
  let kind: String?
  let ip: String?
  let status: String?
  let message: String?
}

@Suite struct CheckedTextTests {
  @Test func `the server says of a text what the page says`() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let table = try Data(contentsOf: tests.appendingPathComponent("Blackbox/check_cases.json"))
    let cases = try JSONDecoder().decode([Case].self, from: table)
    #expect(cases.count > 200)
    var differing: [String] = []
    for wanted in cases {
      let checked = CheckedText(wanted.text ?? "")
      let said = try JSONDecoder().decode(Case.self, from: Data(checked.json.bytes))
      let isSame =
        said.state == wanted.state && said.kind == wanted.kind && said.ip == wanted.ip
        && said.status == wanted.status && said.message == wanted.message
      if !isSame { differing.append("\(wanted.text ?? ""): \(said)") }
    }
    #expect(differing == [])
  }
}
