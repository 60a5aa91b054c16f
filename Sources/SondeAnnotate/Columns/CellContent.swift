import SondeAddresses

/// The content of a cell that should be an address.
enum CellContent: Equatable {
  /// Empty or white space.
  case nothing
  case address(Address, zone: Range<Int>?)
  /// Anything else, with its range in the text.
  case invalid(Range<Int>)

  /// Parses the cell in a range, which includes quotes.
  init(_ cell: Range<Int>, of text: Span<UInt8>, refangs: Bool) {
    let content = Self.unquoted(cell, of: text)
    guard content.contains(where: { !text[$0].isBlank }) else {
      self = .nothing
      return
    }
    guard let host = HostAddress(text.extracting(content), refangs: refangs) else {
      self = .invalid(content)
      return
    }
    let start = content.lowerBound
    let zone = host.zone.map { start + $0.lowerBound..<start + $0.upperBound }
    // A quote is doubled within quotes, so the zone is not contiguous in the text.
    let isDoubled = content != cell && zone?.contains { text[$0] == UInt8(ascii: "\"") } ?? false
    self = isDoubled ? .invalid(content) : .address(host.address, zone: zone)
  }

  /// The address of a cell, with its place in the text without bracket and port; `nil` for others.
  static func address(
    of cell: Range<Int>,
    in text: Span<UInt8>,
    refangs: Bool
  ) -> (Address, place: Range<Int>)? {
    let content = unquoted(cell, of: text)
    guard let host = HostAddress(text.extracting(content), refangs: refangs) else { return nil }
    let start = content.lowerBound
    return (host.address, start + host.place.lowerBound..<start + host.place.upperBound)
  }

  var isAddress: Bool { if case .address = self { true } else { false } }

  /// The range between the quotes of a cell; all of it without quotes, or with text after them.
  private static func unquoted(_ cell: Range<Int>, of text: Span<UInt8>) -> Range<Int> {
    guard !cell.isEmpty, text[cell.lowerBound] == UInt8(ascii: "\"") else { return cell }
    var end = cell.upperBound
    while text[end - 1].isBlank { end -= 1 }
    guard end - cell.lowerBound >= 2, text[end - 1] == UInt8(ascii: "\"") else { return cell }
    return cell.lowerBound + 1..<end - 1
  }
}

extension UInt8 {
  /// Space, tab, line feed, vertical tab, form feed or return.
  @inline(__always)
  fileprivate var isBlank: Bool { self == 0x20 || self &- 0x09 < 5 }
}
