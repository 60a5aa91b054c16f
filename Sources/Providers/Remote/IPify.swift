public import Addresses
public import Transfer

/// ipify: the address that this machine shows to the world. https://www.ipify.org
public struct IPify: Sendable {
  /// The host that answers over IPv4 and IPv6.
  public static let publicService = BaseURL("https://api64.ipify.org")

  /// Where it is asked.
  public let base: BaseURL

  /// Makes a client; `base` is a mirror, `nil` the service itself.
  public init(base: BaseURL? = nil) { self.base = base ?? Self.publicService }

  /// Asks for the caller's address.
  public var request: Request {
    var request = Request(url: base.text + "/?format=json")
    request.headers = [("Accept", "application/json")]
    return request
  }

  /// The address in an answer, or why there is none.
  ///
  /// The service believes the first `X-Forwarded-For` entry, so what it says is checked here.
  public func read(_ response: Response) -> Result<Address, IPifyError> {
    if response.looksLikeLoginPage { return .failure(IPifyError("a login page answered")) }
    guard response.status == 200 else { return .failure(IPifyError("HTTP \(response.status)")) }
    guard let document = try? JSONDocument(parsing: response.body),
      let members = document.root.members, let text = document.value("ip", in: members)?.text,
      let address = Address(ascii: document.strings, at: text)
    else { return .failure(IPifyError("the answer holds no address")) }
    return .success(address)
  }
}

/// Why ipify gave no address.
public struct IPifyError: Error, Equatable {
  /// The reason, for a person.
  public let reason: String

  init(_ reason: String) { self.reason = reason }
}
