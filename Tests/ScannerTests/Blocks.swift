import SondeAddresses
import TestSupport
import Testing

@testable import SondeDatabases
@testable import SondeInputs
@testable import SondeProviders
@testable import SondeRecords
@testable import SondeUpgrade

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

extension RecordParser {
  /// A parser of a file of records, as `upgrade` makes it.
  ///
  /// - Parameters:
  ///   - bytes: The file, or as much as shows its layout.
  ///   - window: Where the rows are put.
  /// - Throws: What says that they are no records.
  init(of bytes: [UInt8], window: RowWindow) throws {
    let layout = try #require(try RecordLayout.recognize(bytes.span, isLast: true, name: "f"))
    self.init(layout, name: "f", fallbacks: [.libloc, .mmdb], window: window)
  }

  /// Parses a whole file of records.
  static func rows(of bytes: [UInt8]) throws -> RowWindow {
    let window = RowWindow()
    var parser = try RecordParser(of: bytes, window: window)
    var entries = EntryBlock()
    _ = parser.parse(bytes.span, isLast: true, into: &entries, limit: .max)
    return window
  }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
