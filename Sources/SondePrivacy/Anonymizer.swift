public import SondeAddresses
public import SondeSystem

/// The replacement of addresses in everything that is written.
///
/// It is given to whatever writes records, lines, messages, events and pages.
public struct Anonymizer: Sendable {
  /// The kinds of replacement.
  public enum Kind: Sendable, Equatable {
    /// The leading bits stay.
    case truncation(Truncation)
    /// Addresses are encrypted, with their common prefixes.
    case pseudonyms(PseudonymKey)
  }

  /// The kind of replacement.
  public let kind: Kind
  private let cipher: PrefixCipher?
  /// Whether defanged marks, such as `[.]`, are the marks that they stand for.
  package let refangs: Bool

  /// Creates an anonymizer; throws ``LibraryError`` if pseudonyms need libcrypto, and there is none.
  public init(_ kind: Kind, refangs: Bool = false) throws(LibraryError) {
    (self.kind, self.refangs) = (kind, refangs)
    if case .pseudonyms(let key) = kind { cipher = try PrefixCipher(key) } else { cipher = nil }
  }

  /// The text that stands for an item that is not an address, and may yet reveal one.
  public static let removed = "(removed)"

  /// Finds the addresses of a text that are replaced.
  public func search(_ text: Span<UInt8>, into matches: inout [LogMatch]) {
    searchLog(text, refangs: refangs, into: &matches)
  }

  /// Replaces addresses in place; many at once take less time each.
  public func replace(_ addresses: inout [Address]) {
    if let cipher { return cipher.encrypt(&addresses) }
    guard case .truncation(let truncation) = kind else { return }
    for index in addresses.indices { addresses[index] = truncation(addresses[index]) }
  }

  /// What an address becomes.
  public func callAsFunction(_ address: Address) -> Address {
    var addresses = [address]
    replace(&addresses)
    return addresses[0]
  }

  /// What a network of `length` bits becomes that holds an address: the first bits of what that
  /// becomes, no more than stay.
  public func network(of length: Int, holding address: Address) -> (first: Address, length: Int) {
    var length = min(length, address.isIPv4 ? 32 : 128)
    if case .truncation(let truncation) = kind {
      length = min(length, truncation.length(for: address))
    }
    return (AddressRange(block: self(address), length: length).first, length)
  }

  /// The text of a network, such as `8.8.8.0/24`, after ``network(of:holding:)``; other texts are
  /// searched.
  public func network(_ text: Span<UInt8>, holding address: Address) -> [UInt8] {
    guard let slash = text.indices.last(where: { text[$0] == UInt8(ascii: "/") }) else {
      return self.text(text)
    }
    let digits = (slash + 1..<text.count).map { Unicode.Scalar(text[$0]) }
    guard let length = Int(String(String.UnicodeScalarView(digits))), length >= 0 else {
      return self.text(text)
    }
    let network = network(of: length, holding: address)
    var bytes: [UInt8] = []
    network.first.append(to: &bytes)
    return bytes + Array("/\(network.length)".utf8)
  }

  /// A text in which every address that log mode finds is replaced, without its zone.
  public func text(_ text: Span<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count + 16)
    append(text, to: &output)
    return output
  }

  /// A text in which every address that log mode finds is replaced, without its zone.
  public func text(_ text: String) -> String {
    var text = text
    return text.withUTF8 { unsafe String(decoding: self.text($0.span), as: UTF8.self) }
  }

  /// Appends whole lines of text, in which every address that log mode finds is replaced.
  public func append(_ text: Span<UInt8>, to output: inout [UInt8]) {
    var matches: [LogMatch] = []
    search(text, into: &matches)
    var addresses = matches.map(\.address)
    replace(&addresses)
    var position = 0
    for (match, address) in zip(matches, addresses) {
      output.append(copying: text.extracting(position..<match.start))
      address.append(to: &output)
      position = match.end
    }
    output.append(copying: text.extracting(position...))
  }
}

extension [UInt8] {
  fileprivate mutating func append(copying text: Span<UInt8>) {
    unsafe text.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
