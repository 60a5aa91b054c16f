public import SondeAddresses
import SondeRecords
public import SondeTransfer

/// ipify: returns the public address of this machine. https://www.ipify.org
public struct IPify: Sendable {
  /// The host that answers over IPv4 and IPv6.
  public static let publicService = BaseURL("https://api64.ipify.org")

  /// Its name in messages and events.
  public static let name = "ipify"

  /// The base URL.
  public let base: BaseURL

  /// Creates a client; `base` is a mirror, or `nil` for the service itself.
  public init(base: BaseURL? = nil) { self.base = base ?? Self.publicService }

  /// Creates a request for the caller's address.
  public var request: Request {
    var request = Request(url: base.text + "/?format=json")
    request.headers = [("Accept", "application/json")]
    return request
  }

  /// Interprets a response, and returns the address if there is one; `time` is in seconds since
  /// 1970 UTC.
  ///
  /// The service trusts the first `X-Forwarded-For` entry, so its answer is checked here.
  public func read(_ response: Response, time: Int64) -> (Reading, Address?) {
    let notice = QuotaNotice(of: response, time: time, believing: .untilNext(.day))
    guard response.status == 200 else { return (Reading(.unusable(""), notice), nil) }
    guard let document = try? JSONDocument(parsing: response.body),
      let members = document.root.members, let text = document.value("ip", in: members)?.text,
      let address = Address(ascii: document.strings, at: text)
    else { return (Reading(.unusable("the answer holds no address"), notice), nil) }
    return (Reading(.answers(Answers(block: RecordBlock())), notice), address)
  }
}
