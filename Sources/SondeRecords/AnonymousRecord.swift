import SondeAddresses
import SondePrivacy

/// A record in whose values every address is replaced, with bytes of its own.
///
/// It is made last: the values were looked up for the true address.
struct AnonymousRecord {
  var record: Record
  /// The true address.
  private let original: Address?
  private(set) var bytes: [UInt8] = []
  private(set) var row = AddedRow.none
  private let anonymizer: Anonymizer

  init(
    _ record: Record,
    _ bytes: Span<UInt8>,
    _ added: AddedRow,
    _ columns: [AddedColumn],
    by anonymizer: Anonymizer
  ) {
    (self.record, self.anonymizer, original) = (record, anonymizer, record.address)
    self.record.address = record.address.map { anonymizer($0) }
    for field in TextField.allCases {
      let start = self.bytes.count
      self.record[field] = .none
      guard !record[field].isEmpty else { continue }
      append(field, bytes.extracting(record[field].indices))
      self.record[field] = TextRange(
        offset: UInt32(start),
        count: UInt32(self.bytes.count - start)
      )
    }
    if added.size > 0 {
      row = AddedRow(AddedBlock(values(added, columns), width: columns.count), at: 0)
    }
  }

  /// The columns without values: host names often contain the address.
  static let hidden: Set<String> = [Field.hostname.name, "internetdb_hostnames"]

  private mutating func append(_ field: TextField, _ text: Span<UInt8>) {
    switch field {
    case .hostname: break
    case .network: bytes += network(text)
    // Of an address it is the zone, a name on the machine that wrote the input.
    case .item: if original == nil { bytes += Anonymizer.removed.utf8 }
    case .message: bytes += message(text)
    default: anonymizer.append(text, to: &bytes)
    }
  }

  private func network(_ text: Span<UInt8>) -> [UInt8] {
    guard let original else { return anonymizer.text(text) }
    return anonymizer.network(text, holding: original)
  }

  private func message(_ text: Span<UInt8>) -> [UInt8] {
    switch record.status {
    case .reserved:
      // The block of the address, before its name.
      let end = text.indices.first { text[$0] == UInt8(ascii: " ") } ?? text.count
      return network(text.extracting(..<end)) + anonymizer.text(text.extracting(end...))
    case .invalid: return Array(anonymizer.text(withoutItem(text)).utf8)
    default: return anonymizer.text(text)
    }
  }

  /// The reason why an item is invalid, without correction and without longer parts of the item.
  private func withoutItem(_ text: Span<UInt8>) -> String {
    let message = String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
    var reason = message.split(separator: "; write ", maxSplits: 1).first ?? ""
    // What other programs take it for.
    if reason.hasSuffix(" such shorthand)"), let start = reason.lastIndex(of: "(") {
      reason = reason[..<start].dropLast()
    }
    var words = reason.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for index in words.indices.dropFirst()
    where ["octet", "group", "read"].contains(words[index - 1]) {
      // An octet or a group has at most four digits, between quotes or not.
      if words[index].utf8.count > 6 { words[index] = Anonymizer.removed }
    }
    return words.joined(separator: " ")
  }

  private func values(_ added: AddedRow, _ columns: [AddedColumn]) -> AddedValues {
    var values = AddedValues()
    for (index, column) in columns.enumerated() {
      let text = added.bytes.span.extracting(added[index])
      if text.isEmpty || Self.hidden.contains(column.name) {
        values.appendNothing(1)
      } else if column.name.hasSuffix("_network") {
        values.append { $0 += network(text) }
      } else {
        values.append { anonymizer.append(text, to: &$0) }
      }
    }
    return values
  }
}

extension Field {
  /// Whether anonymized records never have a value in this column.
  public var isHiddenByAnonymizer: Bool { AnonymousRecord.hidden.contains(name) }
}
