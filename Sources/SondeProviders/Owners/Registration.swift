public import SondeAddresses
import SondeRecords
public import SondeTables

/// A registry's information about a network: an object of class `ip network` (RFC 9083 §5.4).
public struct Registration: Hashable, Sendable {
  /// The addresses of the network, which need not be a block.
  public let range: AddressRange

  /// The name of the network, on one line.
  ///
  /// Its `name`, else the full name of the registrant; empty if it has neither.
  public let name: String

  /// The email addresses of abuse contacts, the closest to the network first.
  public let abuse: [String]

  /// Creates a registration.
  public init(range: AddressRange, name: String, abuse: [String]) {
    (self.range, self.name, self.abuse) = (range, name, abuse)
  }

  /// The reason why an answer is unusable.
  enum ReadingError: Error, Equatable {
    /// It is not an object of that class.
    case unreadable(String)
    /// It is about other addresses, or about all.
    case misleading(String)
  }

  /// Parses an answer to a request about an address.
  init(parsing body: [UInt8], about address: Address) throws(ReadingError) {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: body)
    } catch {
      throw .unreadable("the answer is not JSON (\(error.reason))")
    }
    guard let members = document.root.members,
      let range = document.range(in: members, about: address)
    else { throw .unreadable("the answer has no network") }
    guard range.holds(address) else { throw .misleading("the answer is about other addresses") }
    guard !range.isEverything else { throw .misleading("the answer is about all addresses") }
    let entities = document.entities(of: members)
    let name = document.value("name", in: members)?.text.map { document.string($0).onOneLine }
    let registrants = entities.lazy.filter { document.hasRole("registrant", in: $0) }
    self.range = range
    self.name =
      name.flatMap { $0.isEmpty ? nil : $0 }
      ?? registrants.compactMap { document.fullName(in: $0) }.first ?? ""
    abuse = document.abuseAddresses(among: entities)
  }

  /// The block to show for an address: the network or, if that is not a block, the largest block
  /// within it that contains the address.
  public func network(holding address: Address) -> Prefix {
    for length in 0..<address.bits {
      let block = AddressRange(block: address, length: length)
      if range.first <= block.first, block.last <= range.last {
        return Prefix(holding: address, length: length)
      }
    }
    return Prefix(holding: address, length: address.bits)
  }
}

extension AddressRange {
  /// Whether the range contains an address of its own family.
  func holds(_ address: Address) -> Bool { first.isIPv4 == address.isIPv4 && contains(address) }

  /// Whether it contains all addresses of its family.
  fileprivate var isEverything: Bool {
    lastOffset == (first.isIPv4 ? UInt128(UInt32.max) : UInt128.max)
  }
}

extension JSONDocument {
  /// The network's range; without first and last address, the longest block of the extension
  /// `cidr0` (https://bitbucket.org/nroecg/nro-rdap-cidr) that contains an address.
  fileprivate func range(in members: Range<Int>, about address: Address) -> AddressRange? {
    let ends = [value("startAddress", in: members), value("endAddress", in: members)]
      .compactMap { $0?.text.flatMap { Address(ascii: strings, at: $0) } }
    if ends.count == 2, let range = AddressRange(first: ends[0], last: ends[1]) { return range }
    guard case .array(let range) = value("cidr0_cidrs", in: members) else { return nil }
    let blocks = elements(range).compactMap { $0.members.flatMap { block(in: $0) } }
    return blocks.filter { $0.holds(address) }.min { $0.lastOffset < $1.lastOffset } ?? blocks.first
  }

  private func block(in members: Range<Int>) -> AddressRange? {
    let prefix = value("v4prefix", in: members)?.text ?? value("v6prefix", in: members)?.text
    guard let address = prefix.flatMap({ Address(ascii: strings, at: $0) }),
      case .integer(let length) = value("length", in: members), 0...Int64(address.bits) ~= length
    else { return nil }
    return AddressRange(block: address, length: Int(length))
  }
}
