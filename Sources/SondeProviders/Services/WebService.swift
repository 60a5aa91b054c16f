public import SondeAddresses
import SondeCatalog
public import SondeRecords
public import SondeTransfer

/// A web service that is asked about one address at a time: a row of the table of such services.
///
/// To add one, add its row to ``all`` and its columns to `AddedSource.all`. Users write such rows
/// as files (``init(file:named:environment:)``).
public struct WebService: Sendable {
  /// The services with a name of their own.
  public static let all: [WebService] = [internetDB, greyNoise, abuseIPDB]

  /// The longest body accepted, in bytes.
  static let largestAnswer = 1 << 20

  /// The type of a column's values; a value of another type counts as missing.
  enum ValueType: String, CaseIterable, Sendable {
    case text, integer, number, boolean, list
    /// A list of integers.
    case integers

    /// The types that users may name.
    static let named = allCases.filter { $0 != .integers }

    /// The type of values in a form of columns.
    init(_ form: AddedColumn.Form) {
      self =
        switch form {
        case .text, .status: .text
        case .number: .number
        case .flag: .boolean
        case .list: .list
        case .numbers: .integers
        }
    }

    var form: AddedColumn.Form {
      switch self {
      case .text: .text
      case .integer, .number: .number
      case .boolean: .flag
      case .list: .list
      case .integers: .numbers
      }
    }
  }

  /// Where the value of a column is in an answer.
  struct Column: Sendable {
    let column: AddedColumn
    let pointer: JSONPointer
    let type: ValueType

    init(_ column: AddedColumn, at pointer: JSONPointer, _ type: ValueType) {
      (self.column, self.pointer, self.type) = (column, pointer, type)
    }
  }

  /// The key of an account, and the header field that it is sent in.
  public struct Key: Sendable {
    /// The setting for it.
    public let key: Provider.Key
    /// Whether nothing is answered without it.
    public let isRequired: Bool
    let header: String
    /// The limit with a key, until answers state another.
    let allowance: Allowance
  }

  /// The name in `--with`, and the prefix of its columns.
  public let name: String
  /// The URL of a question, with `{ip}` in place of the address.
  let url: String
  /// The key that it takes, if any.
  public var key: Key?
  /// Header fields that anyone may read on the path.
  var headers: [(name: String, value: String)] = []
  /// Header fields that are sent only where nobody can read them.
  var secretHeaders: [(name: String, value: String)] = []
  /// The limit on requests in any period of this length.
  var allowance: Allowance
  /// The statuses of HTTP that mean that it knows nothing of the address.
  var unknown: Set<Int> = [404]
  /// How long its answers are kept.
  public var lifetime = Duration.seconds(86_400)
  /// Whether it is asked about IPv4 and IPv6.
  var families: Set<Family> = [.ipv4, .ipv6]
  var values: [Column]
  /// Where an answer has the address that it is about; `nil` if it need not have it.
  var address: JSONPointer?

  /// A family of addresses.
  enum Family: Int, Sendable { case ipv4 = 4, ipv6 = 6 }

  /// Finds a service by its name.
  public init?(name: String) {
    guard let service = Self.all.first(where: { $0.name == name }) else { return nil }
    self = service
  }

  /// Creates a known service, with the places of the values of `AddedSource.awaited` in order.
  init(
    _ name: String,
    _ url: String,
    _ allowance: Allowance,
    values: [String],
    address: String
  ) {
    let columns = AddedSource(name: name)?.awaited ?? []
    self.init(
      name,
      url,
      allowance,
      columns: zip(columns, values).compactMap { column, place in
        JSONPointer(place).map { Column(column, at: $0, ValueType(column.form)) }
      }
    )
    self.address = JSONPointer(address)
  }

  init(_ name: String, _ url: String, _ allowance: Allowance, columns: [Column]) {
    (self.name, self.url, self.allowance, values) = (name, url, allowance, columns)
  }

  /// The columns in order; the last has its status.
  public var columns: [AddedColumn] {
    values.map(\.column) + [AddedColumn(name: "\(name)_status", .status)]
  }

  /// Whether it is asked about an address.
  public func isAsked(about address: Address) -> Bool {
    families.contains(address.isIPv4 ? .ipv4 : .ipv6) && address.specialPurpose == nil
  }

  /// The host of its URL, and the port unless it is the scheme's default, for people.
  public var host: String { BaseURL(url).authority }

  /// The limit without a key or with one, until answers state another.
  public func allowance(withKey hasKey: Bool) -> Allowance {
    if hasKey, let key { key.allowance } else { allowance }
  }

  /// Its quota at the start.
  public func quota(withKey hasKey: Bool) -> Quota {
    Quota(allowance: allowance(withKey: hasKey), isRolling: true, believing: Self.believableWait)
  }

  /// The longest wait accepted: the quota is of a day at most.
  static let believableWait = BelievableWait.atMost(.seconds(86_400))

  /// The URL of the question about an address; at a mirror, the host begins the path.
  func url(about address: Address, mirror: BaseURL?) -> String {
    let url = url.replacing("{ip}", with: "\(address)")
    guard let mirror, let scheme = url.firstRange(of: "://") else { return url }
    return "\(mirror.text)/\(url[scheme.upperBound...])"
  }

  /// Creates the request about an address, with the key of an account, if any.
  public func request(about address: Address, mirror: BaseURL?, key secret: String?) -> Request {
    var request = Request(url: url(about: address, mirror: mirror))
    request.headers = [("Accept", "application/json")] + headers
    request.secretHeaders = secretHeaders
    if let secret, let key { request.secretHeaders.append((key.header, secret)) }
    request.maximumBody = Self.largestAnswer
    return request
  }

  /// What its answers depend on besides the address: its URL, and the columns with their places.
  public var fingerprint: String {
    ([url] + values.map { "\($0.column.name) \($0.type) \($0.pointer)" } + ["\(unknown.sorted())"])
      .joined(separator: "\n")
  }
}

extension Endpoint {
  /// Whether nobody distant can change or read what is sent to it: by TLS, or in the local network.
  public var isPrivate: Bool {
    let host = host.drop { $0 == "[" }.prefix { $0 != "]" }
    return isSecure || isLoopback || Address(String(host))?.specialPurpose != nil
  }
}
