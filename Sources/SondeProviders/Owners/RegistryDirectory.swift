public import SondeAddresses
import SondeRecords
import SondeTables

/// Maps addresses to registries: IANA's bootstrap files `ipv4.json` and `ipv6.json`.
///
/// `services` is an array of pairs: the networks, and the URLs of their service (RFC 9224 §3). The
/// longest network that contains an address decides (§5.1, §5.2), and an HTTPS URL is preferred
/// (§3).
public struct RegistryDirectory: Sendable {
  /// The reason why a text is not such a file.
  public struct ReadingError: Error, Equatable {
    /// The reason, in plain words.
    public let reason: String
  }

  private let table: NetworkTable

  /// The number of networks.
  public var count: Int { table.count }

  /// Parses a file without its invalid networks and URLs; fails if it has no service at all.
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

  /// The URL of the service for an address, with a final slash; `nil` if there is none.
  public func url(for address: Address) -> String? {
    table.match(address).map { table.text(0, of: $0) }
  }
}

extension JSONDocument {
  func elements(_ range: Range<Int>) -> [Value] {
    var elements: [Value] = []
    forEachElement(range) { elements.append($0) }
    return elements
  }

  /// The texts in an array, or a single text instead of an array.
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

  /// The preferred one of several URLs, with a final slash (RFC 9224 §3).
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
  /// The length of an address of its family in bits.
  var bits: Int { isIPv4 ? 32 : 128 }
}
