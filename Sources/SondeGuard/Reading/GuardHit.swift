package import SondeAddresses
package import SondeRecords
import SondeWeb

/// A hit of an address in a line, with all that its judgement and an alert about it need.
package struct GuardHit: Sendable, Equatable {
  /// In milliseconds since 1970 UTC.
  package var time: Int64
  package var address: Address
  /// The zone of a link-local address.
  package var zone = ""
  /// The name of the file.
  package var input: String
  /// The beginning of the line.
  package var text: String
  /// The values of the line: of what is captured, in order.
  package var values: [String] = []
  /// The results of the condition's comparisons of the line; `nil` without a condition.
  package var findings: FilterFindings?

  /// The longest beginning of the line in bytes.
  package static let longestText = 1024
}

extension GuardHit {
  /// The hit as it waits on disk.
  package var stored: [UInt8] {
    var members: [(String, JSON)] = [
      ("time", .integer(time)), ("ip", .string("\(address)")), ("zone", .string(zone)),
      ("input", .string(input)), ("text", .string(text)),
      ("values", .array(values.map { .string($0) })),
    ]
    if let findings { members.append(("findings", .string(findings.digits))) }
    return JSON.object(members).bytes
  }

  /// Reads what ``stored`` has written; `nil` for anything else.
  package init?(stored: [UInt8]) {
    guard let json = try? JSON(parsing: stored), case .integer(let time)? = json["time"],
      let ip = json["ip"]?.text, let input = json["input"]?.text, let text = json["text"]?.text,
      let values = json["values"]?.elements,
      case .address(let address, _) = ListItem.parse(operand: ip.utf8Span.span)
    else { return nil }
    (self.time, self.address, self.input, self.text) = (time, address, input, text)
    zone = json["zone"]?.text ?? ""
    self.values = values.map { $0.text ?? "" }
    findings = json["findings"]?.text.flatMap { FilterFindings(digits: $0) }
  }
}

extension FilterFindings {
  private static let digits: [(Character, FilterVerdict)] = [("0", .no), ("1", .yes), ("2", .open)]

  /// Reads what ``digits`` has written; `nil` for any other text.
  fileprivate init?(digits: String) {
    let verdicts = digits.compactMap { digit in Self.digits.first { $0.0 == digit }?.1 }
    guard verdicts.count == digits.count else { return nil }
    self.init(verdicts: verdicts)
  }

  /// The results as text: 0 for no, 1 for yes, 2 for open.
  fileprivate var digits: String {
    String(verdicts.compactMap { verdict in Self.digits.first { $0.1 == verdict }?.0 })
  }
}
