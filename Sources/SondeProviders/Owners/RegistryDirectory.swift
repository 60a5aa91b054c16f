public import SondeAddresses
import SondeRecords
import SondeTables

/// Which registry knows of which addresses: IANA's bootstrap files `ipv4.json` and `ipv6.json`.
///
/// `services` is an array of arrays of two: the networks, and the URLs of the service for them
/// (RFC 9224 §3). The longest network that holds an address decides (§5.1, §5.2), and of several URLs
/// one of HTTPS is to be taken (§3).
public struct RegistryDirectory: Sendable {
  /// Why a text is no such file.
  public struct ReadingError: Error, Equatable {
    /// For a person.
    public let reason: String
  }

  private let table: NetworkTable

  /// How many networks it has.
  public var count: Int { table.count }

  /// Reads a file; what in it is no network or no URL counts for nothing.
  ///
  /// - Throws: ``ReadingError`` where it has no service at all.
  public init(parsing body: [UInt8]) throws(ReadingError) {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: body)
    } catch {
      throw ReadingError(reason: "is not JSON (\(error.reason))")
    }
    guard let members = document.root.members,
      case .array(let services) = document.value("services", in: members)
    else { throw ReadingError(reason: "has no services") }
    var builder = NetworkTable.Builder(columns: ["url"])
    var seen: Set<Prefix> = []
    document.forEachElement(services) { service in
      guard case .array(let halves) = service else { return }
      let lists = document.elements(halves)
      guard lists.count >= 2, let url = document.serviceURL(lists[1]) else { return }
      for network in document.networks(lists[0]) where seen.insert(network).inserted {
        guard builder.append(value: url.utf8Span.span) else { return }
        builder.append(network)
      }
    }
    guard builder.count > 0 else { throw ReadingError(reason: "has no networks") }
    table = builder.table()
  }

  /// The URL of the service that knows of an address, with a slash at its end; `nil` where there is none.
  public func url(for address: Address) -> String? {
    table.match(address).map { table.text(0, of: $0) }
  }
}

extension JSONDocument {
  /// The elements of an array.
  func elements(_ range: Range<Int>) -> [Value] {
    var elements: [Value] = []
    forEachElement(range) { elements.append($0) }
    return elements
  }

  /// The texts among the elements of an array, or one text that stands in place of it.
  func texts(_ value: Value?) -> [String] {
    switch value {
    case .string(let text): [string(text)]
    case .array(let range): elements(range).compactMap { $0.text.map { string($0) } }
    default: []
    }
  }

  fileprivate func networks(_ value: Value) -> [Prefix] {
    texts(value).compactMap { text in
      switch ListItem.parse(operand: text.utf8Span.span) {
      case .range(let range): Prefix(range)
      case .address(let address, zone: nil): Prefix(holding: address, length: address.bits)
      default: nil
      }
    }
  }

  /// The URL to take of several, with a slash at its end (RFC 9224 §3).
  fileprivate func serviceURL(_ value: Value) -> String? {
    let urls = texts(value).filter { $0.utf8.allSatisfy { 0x21..<0x7f ~= $0 } }
    let schemes = ["https://", "http://"]
    let found = schemes.lazy.compactMap { scheme in
      urls.first { $0.lowercased().hasPrefix(scheme) && $0.utf8.count > scheme.utf8.count }
    }
    return found.first.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
  }
}

extension Address {
  /// The bits of an address of its family.
  var bits: Int { isIPv4 ? 32 : 128 }
}
