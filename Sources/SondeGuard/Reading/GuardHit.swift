package import SondeAddresses
import SondeInputs
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
  /// The line, a part of what was read with it: hardly any hit is asked for its text.
  package var line: ArraySlice<UInt8>
  /// The values of the line: of what is captured, in order.
  package var values: [[UInt8]] = []
  /// The results of the condition's comparisons of the line; `nil` without a condition.
  package var findings: FilterFindings?
  /// The verdict before any request, where it was found out.
  package var verdict = FilterVerdict.open

  /// The beginning of the line.
  package var text: String { line.span.repaired(maximum: Self.longestText) }

  /// The longest beginning of the line in bytes.
  private static let longestText = 1024
}

extension GuardHit {
  /// The hit as it waits on disk.
  package var stored: [UInt8] {
    var members: [(String, JSON)] = [
      ("time", .integer(time)), ("ip", .string("\(address)")), ("zone", .string(zone)),
      ("input", .string(input)), ("text", .string(text)),
      ("values", .array(values.map { .string(String(decoding: $0, as: UTF8.self)) })),
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
    (self.time, self.address, self.input) = (time, address, input)
    line = Array(text.utf8)[...]
    zone = json["zone"]?.text ?? ""
    self.values = values.map { Array(($0.text ?? "").utf8) }
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
