import Addresses
import Records
import TestSupport

@testable import Providers
@testable import Scanner

extension RecordBlock {
  /// A record for each line: `8.8.8.8 ok US`, or `8.8.8.8 failed why it failed`.
  init(_ lines: String...) { self.init(lines: lines) }

  /// The same from an array of lines.
  init(lines: [String]) {
    self.init()
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 2)
      let status = Status.allCases.first { $0.name == words[1] } ?? .invalid
      var record = Record(
        address: status == .invalid ? nil : address(String(words[0])),
        status: status
      )
      if status == .invalid { record[.item] = append(text: String(words[0])) }
      if words.count > 2 {
        record[status == .ok ? .countryCode : .message] = append(text: String(words[2]))
      }
      if status == .ok { record.source = .ipAPI }
      records.append(record)
    }
  }

  /// The records as such lines.
  var lines: [String] {
    records.map { record in
      let ip = record.address.map { "\($0)" } ?? text(.item, of: record) ?? ""
      let words = text(.countryCode, of: record) ?? text(.message, of: record)
      return ([ip, record.status.name] + [words].compactMap(\.self)).joined(separator: " ")
    }
  }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
