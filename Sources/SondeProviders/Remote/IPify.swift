public import SondeAddresses
import SondeRecords
public import SondeTransfer

/// ipify: the address that this machine shows to the world. https://www.ipify.org
public struct IPify: Sendable {
  /// The host that answers over IPv4 and IPv6.
  public static let publicService = BaseURL("https://api64.ipify.org")

  /// Its name in messages and events.
  public static let name = "ipify"

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

  /// Reads a response.
  ///
  /// The service believes the first `X-Forwarded-For` entry, so what it says is checked here.
  /// - Parameters:
  ///   - response: What came back.
  ///   - time: The present, in seconds since 1970 UTC.
  /// - Returns: What ``ExchangeVerdict`` goes by, and the address if there is one.
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
