public import Addresses
public import Records
public import Transfer

/// ipinfo.io's legacy API: single look-ups without a token, batches of 1,000 with one.
///
/// https://ipinfo.io/developers, https://ipinfo.io/developers/batch
public struct IPInfo: RemoteAPI {
  /// The service's own address.
  public static let publicService = BaseURL("https://ipinfo.io")

  /// Who answers.
  public let source = Source.ipinfo
  /// Where it is asked.
  public let base: BaseURL
  private let token: String?

  /// Makes a client; `base` is a mirror, `nil` the service itself.
  public init(base: BaseURL? = nil, token: String? = nil) {
    self.base = base ?? Self.publicService
    self.token = token
  }

  /// Whether it is asked without a key or token.
  public var isFree: Bool { token == nil }

  /// The most addresses of one request.
  public func limit(of form: RequestForm) -> Int {
    form == .single ? 1 : token == nil ? 0 : 1000
  }

  /// 1,000 a day without a token, says the provider's staff; with one only the account knows.
  public func allowance(of form: RequestForm) -> Allowance? {
    token == nil ? Allowance(requests: 1000, per: .seconds(86_400)) : nil
  }

  /// Asks for addresses.
  public func request(for addresses: [Address], form: RequestForm) -> Request {
    switch form {
    case .batch: .ipinfoBatch(base.text + "/batch", of: addresses, token: token)
    case .single: .ipinfoSingle("\(base.text)/\(addresses[0])/json", token: token)
    }
  }

  /// Reads a response with the addresses it was asked for.
  public func read(
    _ response: Response,
    for addresses: [Address],
    form: RequestForm,
    time: Int64
  ) -> Reading {
    readIPInfo(response, for: addresses, form: form) { members, document, record in
      var loc = TextRange.none
      document.forEachMember(members) { key, value in
        guard let text = value.text else { return }
        switch document.key(key) {
        case Self.keys.hostname: record[.hostname] = text
        case Self.keys.city: record[.city] = text
        case Self.keys.region: record[.region] = text
        case Self.keys.country: record[.countryCode] = text
        case Self.keys.loc: loc = text
        case Self.keys.org: record.set(SystemNumber(text, in: document))
        case Self.keys.postal: record[.postalCode] = text
        case Self.keys.timezone: record[.timezone] = text
        default: break
        }
      }
      if let (latitude, longitude) = coordinates(document.string(loc)) {
        (record.latitude, record.longitude) = (latitude, longitude)
      }
      record.fetchedAt = time
      return CountryNames.name(of: document.string(record[.countryCode]))
    }
  }

  /// Reads `37.4056,-122.0775`.
  private func coordinates(_ text: String) -> (Double, Double)? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
      latitude.isFinite, longitude.isFinite
    else { return nil }
    return (latitude, longitude)
  }

  private struct Keys {
    let hostname = JSONKey("hostname"), city = JSONKey("city"), region = JSONKey("region")
    let country = JSONKey("country"), loc = JSONKey("loc"), org = JSONKey("org")
    let postal = JSONKey("postal"), timezone = JSONKey("timezone")
  }
  private static let keys = Keys()
}

/// ipinfo.io's Lite API: country and network, without a limit, with a token.
///
/// https://ipinfo.io/developers/lite-api
public struct IPInfoLite: RemoteAPI {
  /// The service's own address.
  public static let publicService = BaseURL("https://api.ipinfo.io")

  /// Who answers.
  public let source = Source.ipinfoLite
  /// Where it is asked.
  public let base: BaseURL
  private let token: String?

  /// Makes a client; `base` is a mirror that has Lite under `/lite`, `nil` the service itself.
  public init(base: BaseURL? = nil, token: String?) {
    self.base = base ?? Self.publicService
    self.token = token
  }

  /// Whether it is asked without a key or token.
  public var isFree: Bool { token == nil }

  /// The most addresses of one request.
  public func limit(of form: RequestForm) -> Int { form == .single ? 1 : 1000 }

  /// None: Lite is unlimited.
  public func allowance(of form: RequestForm) -> Allowance? { nil }

  /// Asks for addresses.
  public func request(for addresses: [Address], form: RequestForm) -> Request {
    switch form {
    case .batch: .ipinfoBatch(base.text + "/batch/lite", of: addresses, token: token)
    case .single: .ipinfoSingle("\(base.text)/lite/\(addresses[0])", token: token)
    }
  }

  /// Reads a response with the addresses it was asked for.
  public func read(
    _ response: Response,
    for addresses: [Address],
    form: RequestForm,
    time: Int64
  ) -> Reading {
    readIPInfo(response, for: addresses, form: form) { members, document, record in
      document.forEachMember(members) { key, value in
        guard let text = value.text else { return }
        switch document.key(key) {
        case Self.keys.system: record.asn = SystemNumber(text, in: document).number
        case Self.keys.systemName: record[.asName] = text
        case Self.keys.countryCode: record[.countryCode] = text
        case Self.keys.country: record[.country] = text
        case Self.keys.continentCode: record[.continentCode] = text
        default: break
        }
      }
      record.fetchedAt = time
      return nil
    }
  }

  private struct Keys {
    let system = JSONKey("asn"), systemName = JSONKey("as_name")
    let countryCode = JSONKey("country_code"), country = JSONKey("country")
    let continentCode = JSONKey("continent_code")
  }
  private static let keys = Keys()
}
