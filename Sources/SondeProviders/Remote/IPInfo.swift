public import SondeAddresses
public import SondeRecords
public import SondeTransfer

/// ipinfo.io's legacy API: single look-ups without a token, batches of 1,000 with one; or its Lite
/// API: country and network, without a limit, with a token.
///
/// https://ipinfo.io/developers, https://ipinfo.io/developers/batch,
/// https://ipinfo.io/developers/lite-api
public struct IPInfo: RemoteAPI {
  /// The URL of the legacy API.
  public static let publicService = BaseURL("https://ipinfo.io")

  /// The URL of the Lite API.
  public static let liteService = BaseURL("https://api.ipinfo.io")

  /// The source of its answers.
  public let source: Source
  /// The base URL.
  public let base: BaseURL

  /// Whether it is a mirror, not the service itself.
  public let isMirror: Bool

  /// The token of an account.
  public let credential: String?
  private let isLite: Bool

  /// Creates a client; `base` is a mirror (with Lite under `/lite`), or `nil` for the service.
  public init(base: BaseURL? = nil, token: String? = nil, isLite: Bool = false) {
    self.base = base ?? (isLite ? Self.liteService : Self.publicService)
    isMirror = base != nil
    credential = token
    self.isLite = isLite
    source = isLite ? .ipinfoLite : .ipinfo
  }

  /// No fields can be selected.
  public var selection: Int { 0 }

  /// The largest number of addresses per request.
  public func limit(of form: RequestForm) -> Int {
    form == .single ? 1 : isFree && !isLite ? 0 : 1000
  }

  /// 1,000 per day without a token, according to the provider's staff; with a token only the
  /// account page shows it, and Lite is unlimited.
  public func allowance(of form: RequestForm) -> Allowance? {
    isFree && !isLite ? Allowance(requests: 1000, per: .seconds(86_400)) : nil
  }

  /// The quota is per day without a token, and per month with one.
  public var believableWait: BelievableWait { .untilNext(window) }

  /// Creates a request for addresses.
  public func request(for addresses: [Address], form: RequestForm) -> Request {
    switch form {
    case .batch:
      var batch = lookUp(at: isLite ? "/batch/lite" : "/batch")
      batch.ask(about: addresses)
      return batch
    case .single: return lookUp(at: isLite ? "/lite/\(addresses[0])" : "/\(addresses[0])/json")
    }
  }

  /// Creates a request for the caller's own address.
  public var probe: Request { lookUp(at: isLite ? "/lite/me" : "/json") }

  private func lookUp(at path: String) -> Request {
    var request = Request(url: base.text + path)
    request.headers = [("Accept", "application/json")]
    request.bearerToken = credential
    request.maximumBody = largestAnswer(to: 1)
    return request
  }

  /// Fills a record from a look-up.
  func fill(
    _ record: inout Record,
    from look: EntryMembers
  ) throws(MalformedEntry) {
    if isLite {
      record.asn = SystemNumber(try look("asn"), in: look.document).number
      record[.asName] = try look("as_name")
      record[.countryCode] = try look("country_code")
      record[.country] = try look("country")
      record[.continentCode] = try look("continent_code")
      return
    }
    record[.hostname] = try look("hostname")
    record[.city] = try look("city")
    record[.region] = try look("region")
    record[.countryCode] = try look("country")
    record[.postalCode] = try look("postal")
    record[.timezone] = try look("timezone")
    record.set(SystemNumber(try look("org"), in: look.document))
    if let (latitude, longitude) = coordinates(look.document.string(try look("loc"))) {
      (record.latitude, record.longitude) = (latitude, longitude)
    }
    guard let privacy = try look.members(of: "privacy") else { return }
    record.set(
      isProxy: try privacy.flag("proxy"),
      isTor: try privacy.flag("tor"),
      isVPN: try privacy.flag("vpn"),
      isRelay: try privacy.flag("relay"),
      isHosting: try privacy.flag("hosting")
    )
  }

  /// Parses `37.4056,-122.0775`; coordinates out of range are treated as missing.
  private func coordinates(_ text: String) -> (Double, Double)? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
      abs(latitude) <= 90, abs(longitude) <= 180
    else { return nil }
    return (latitude, longitude)
  }
}

extension Provider {
  /// ipinfo.io's legacy API.
  public static let ipinfo = Provider(
    "ipinfo",
    label: "IPinfo",
    sources: [SourceRow(1, "ipinfo", owner: "IPinfo")],
    service: Service(key: .ipinfoToken, url: "ipinfo-url") { base, token, _ in
      IPInfo(base: base, token: token)
    }
  )

  /// ipinfo.io's Lite API.
  public static let ipinfoLite = Provider(
    "ipinfo-lite",
    label: "IPinfo Lite",
    sources: [SourceRow(2, "ipinfo-lite", owner: "IPinfo Lite", terms: "CC BY-SA 4.0")],
    needsKey: true,
    service: Service(key: .ipinfoToken, url: "ipinfo-url") { base, token, _ in
      IPInfo(base: base, token: token, isLite: true)
    }
  )
}

extension Provider.Key {
  fileprivate static let ipinfoToken = Provider.Key(
    setting: "ipinfo-token",
    words: "the ipinfo token",
    summary: "Token of ipinfo and ipinfo-lite"
  )
}

extension Source {
  /// ipinfo.io's legacy API.
  public static let ipinfo = Provider.ipinfo.sources[0].source
  /// ipinfo.io's Lite API.
  public static let ipinfoLite = Provider.ipinfoLite.sources[0].source
}
