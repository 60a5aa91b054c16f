public import SondeAddresses
public import SondeRecords
public import SondeTransfer

/// ip-api.com: batches of 100 and single look-ups, free over plain HTTP or pro with a key.
///
/// https://ip-api.com/docs/api:batch, https://ip-api.com/docs/api:json,
/// https://members.ip-api.com/docs/json
public struct IPAPI: RemoteAPI {
  /// The free endpoint, which offers no TLS.
  public static let freeService = BaseURL("http://ip-api.com")

  /// The endpoint for users with a key.
  public static let proService = BaseURL("https://pro.ip-api.com")

  /// The source of its answers.
  public let source = Source.ipAPI
  /// The base URL.
  public let base: BaseURL

  /// Whether it is a mirror, not the service itself.
  public let isMirror: Bool

  /// The key of a pro account.
  public let credential: String?
  private let fieldMask: Int

  /// Makes a client of the free service, of the pro one with a key, or of a mirror; `hostname`,
  /// which costs the provider a name look-up, is only requested if it is one of the `fields`.
  public init(base: BaseURL? = nil, key: String? = nil, fields: Set<Field> = []) {
    self.base = base ?? (key == nil ? Self.freeService : Self.proService)
    isMirror = base != nil
    credential = key
    fieldMask = Self.mask(for: fields)
  }

  /// The bits of https://ip-api.com/docs/api:batch, "fields".
  private static func mask(for fields: Set<Field>) -> Int {
    let country = 1 | 2, region = 8, place = 16 | 32 | 64 | 128 | 256, network = 512 | 1024 | 2048
    let envelope = 8192 | 16384 | 32768
    let optional: [Field: Int] = [
      .hostname: 4096, .regionCode: 4, .continentCode: 2_097_152,
      .mobile: 65536, .proxy: 131_072, .hosting: 16_777_216,
    ]
    return fields.reduce(country | region | place | network | envelope) { mask, field in
      mask | (optional[field] ?? 0)
    }
  }

  /// The bits of the requested fields.
  public var selection: Int { fieldMask }

  /// The largest number of addresses per request.
  public func limit(of form: RequestForm) -> Int { form == .batch ? 100 : 1 }

  /// 15 batches or 45 single look-ups per minute, counted separately; unlimited with a key.
  public func allowance(of form: RequestForm) -> Allowance? {
    isFree ? Allowance(requests: form == .batch ? 15 : 45, per: .seconds(60)) : nil
  }

  /// Creates a request for addresses.
  public func request(for addresses: [Address], form: RequestForm) -> Request {
    switch form {
    case .batch:
      var batch = lookUp(at: "/batch", fields: fieldMask)
      batch.ask(about: addresses)
      return batch
    case .single:
      var single = lookUp(at: "/json/\(addresses[0])", fields: fieldMask)
      single.maximumBody = largestAnswer(to: 1)
      return single
    }
  }

  /// Creates a request for the caller's own address.
  public var probe: Request { lookUp(at: "/json/", fields: 8192) }

  private func lookUp(at path: String, fields: Int) -> Request {
    let key = credential.map { "&key=\($0)" } ?? ""
    var request = Request(url: "\(base.text)\(path)?fields=\(fields)\(key)")
    request.hasKeyInURL = credential != nil
    request.headers = [("Accept", "application/json")]
    return request
  }

  /// Its windows last a minute; those of a mirror may be several times as long.
  public var believableWait: BelievableWait { .atMost(.seconds(300)) }

  /// The information about the quota in `X-Rl`, `X-Ttl` and `Retry-After`.
  private func notice(of response: Response, time: Int64) -> QuotaNotice {
    var notice = QuotaNotice(of: response, time: time, believing: believableWait)
    notice.remaining = response.header("X-Rl").flatMap { Int($0) }.map { max(0, $0) }
    let longest = believableWait.longest(at: .seconds(time))
    notice.resetsIn = response.header("X-Ttl")
      .flatMap { $0.hasPrefix("-") ? .zero : RetryAfter.seconds($0) }
      .map { min($0, longest) }
    return notice
  }

  /// Whether a 429 is from the service, whose 429 has no body, and not from a proxy on the path.
  private func isGenuine(_ response: Response) -> Bool {
    response.status != 429 || response.body.isEmpty
  }

  /// Interprets a response to a request for addresses.
  public func read(
    _ response: Response,
    for addresses: [Address],
    form: RequestForm,
    time: Int64
  ) -> Reading {
    // Observed at the end of a window: a 200 without a body instead of a 429.
    let content = content(of: response, empty: .nothing) { document in
      switch (form, document.root) {
      case (.batch, .array(let elements)):
        return readBatch(elements, of: document, for: addresses, time: time)
      case (.single, .object(let members)):
        return readSingle(members, of: document, for: addresses, time: time)
      case (_, .object(let members)):
        return .unusable(document.errorText(in: members) ?? "the answer is not an array")
      default: return .unusable("the answer is not of the agreed form")
      }
    }
    return Reading(content, notice(of: response, time: time), isGenuine: isGenuine(response))
  }
}

extension Provider {
  /// ip-api.com.
  public static let ipAPI = Provider(
    "ip-api",
    label: "ip-api.com",
    sources: [
      SourceRow(0, "ip-api", owner: "ip-api.com", terms: "free for non-commercial use only")
    ],
    service: Service(
      key: Key(
        setting: "ip-api-key",
        words: "the ip-api key",
        summary: "Key of ip-api; switches to its pro endpoint, over HTTPS"
      ),
      url: "ip-api-url",
      caution: { host in
        """
        With the free ip-api endpoint, addresses go to \(host) unencrypted and for \
        non-commercial use only
        """
      },
      make: { IPAPI(base: $0, key: $1, fields: $2) }
    )
  )
}

extension Source {
  /// ip-api.com.
  public static let ipAPI = Provider.ipAPI.sources[0].source
}
