public import SondeAddresses
import SondeRecords
public import SondeTransfer

/// The content of a registry's response, and its consequences.
public struct RegistryReading: Sendable {
  /// The content of a response.
  public enum Content: Sendable, Equatable {
    /// The network that contains the address.
    case registration(Registration)
    /// The registry knows none (404, RFC 7480 §5.3).
    case nothing
    /// A redirect (RFC 7480 §5.2).
    case redirect
    /// An unusable answer that a retry would not improve, with the reason.
    case misleading(String)
    /// No content; see the verdict.
    case none
  }

  /// The content.
  public let content: Content

  /// The consequences for the question, the path and the quota.
  public let verdict: ExchangeVerdict

  /// The largest answer accepted, in bytes; the largest known ones have tens of kilobytes.
  static let largestAnswer = 1 << 20

  /// Creates a request about an address (RFC 9082 §3.1.1) with the URL of its question.
  public static func request(_ url: String) -> Request {
    var request = Request(url: url)
    // RFC 7480 §4.2.
    request.headers = [("Accept", "application/rdap+json, application/json;q=0.9")]
    request.maximumBody = largestAnswer
    return request
  }

  /// Interprets a response to a request about an address; `time` is in seconds since 1970 UTC.
  public init(_ response: Response, about address: Address, time: Int64) {
    let notice = QuotaNotice(of: response, time: time, believing: Registry.believableWait)
    switch response.status {
    case 200 where response.looksLikeLoginPage, 511:
      content = .none
      verdict = ExchangeVerdict(ofPage: notice)
    case 200:
      do throws(Registration.ReadingError) {
        content = .registration(try Registration(parsing: response.body, about: address))
      } catch {
        switch error {
        case .misleading(let reason): content = .misleading(reason)
        case .unreadable(let reason):
          content = .none
          verdict = ExchangeVerdict(response, Reading(.unusable(reason), notice), form: .single)
          return
        }
      }
      verdict = ExchangeVerdict(response, .answer(notice), form: .single)
    case 404:
      content = .nothing
      verdict = ExchangeVerdict(response, .answer(notice), form: .single)
    case 300..<400:
      content = .redirect
      verdict = ExchangeVerdict(ofRedirect: notice)
    default:
      content = .none
      verdict = ExchangeVerdict(response, Reading(.unusable(""), notice), form: .single)
    }
  }
}

extension Reading {
  /// A reading that counts as an answer, without records.
  static func answer(_ notice: QuotaNotice) -> Reading {
    Reading(.answers(Answers(block: RecordBlock())), notice)
  }
}

extension ExchangeVerdict {
  /// The verdict on a registry's redirect, which counts as an answer.
  fileprivate init(ofRedirect notice: QuotaNotice) {
    var notice = notice
    (notice.retryAfter, notice.isAnswer) = (nil, true)
    (meaning, path, quota) = (.answered, .answered, .answered(notice))
    (wasSent, wait, pause, words) = (true, .zero, .zero, "")
  }

  /// The verdict on an HTML page instead of an answer of a registry or a service.
  ///
  /// These are asked over HTTPS or nearby, so it cannot come from a captive portal and is their
  /// fault.
  init(
    ofPage notice: QuotaNotice,
    _ words: String = "the answer is a page for a person"
  ) {
    var notice = notice
    notice.retryAfter = nil
    (meaning, path, quota) = (.retry, .open, .answered(notice))
    (wasSent, wait, pause) = (true, .zero, .zero)
    self.words = words
  }
}
