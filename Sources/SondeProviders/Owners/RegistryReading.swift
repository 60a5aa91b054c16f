public import SondeAddresses
import SondeRecords
public import SondeTransfer

/// What a registry's response holds, and what the exchange means.
public struct RegistryReading: Sendable {
  /// What it holds.
  public enum Content: Sendable, Equatable {
    /// The network that has the address.
    case registration(Registration)
    /// The registry knows of none (404, RFC 7480 §5.3).
    case nothing
    /// The answer is elsewhere (RFC 7480 §5.2).
    case redirect
    /// Nothing that asking again could mend, and why.
    case misleading(String)
    /// What the verdict says.
    case none
  }

  /// What it holds.
  public let content: Content

  /// What it means for the question, the path and the quota.
  public let verdict: ExchangeVerdict

  /// The largest answer that is taken, in bytes; the largest that are known have some tens of kilobytes.
  static let largestAnswer = 1 << 20

  /// Asks a service about an address (RFC 9082 §3.1.1).
  ///
  /// - Parameter url: The URL of the question.
  /// - Returns: The request.
  public static func request(_ url: String) -> Request {
    var request = Request(url: url)
    // RFC 7480 §4.2.
    request.headers = [("Accept", "application/rdap+json, application/json;q=0.9")]
    request.maximumBody = largestAnswer
    return request
  }

  /// Reads a response.
  ///
  /// - Parameters:
  ///   - response: What came back.
  ///   - address: What was asked about.
  ///   - time: The present, in seconds since 1970 UTC.
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
      verdict = ExchangeVerdict(response, Self.answer(notice), form: .single)
    case 404:
      content = .nothing
      verdict = ExchangeVerdict(response, Self.answer(notice), form: .single)
    case 300..<400:
      content = .redirect
      verdict = ExchangeVerdict(ofRedirect: notice)
    default:
      content = .none
      verdict = ExchangeVerdict(response, Reading(.unusable(""), notice), form: .single)
    }
  }

  /// A reading of an answer whose records stand elsewhere.
  private static func answer(_ notice: QuotaNotice) -> Reading {
    Reading(.answers(Answers(block: RecordBlock())), notice)
  }
}

extension ExchangeVerdict {
  /// Judges a redirect of a registry, which is an answer.
  fileprivate init(ofRedirect notice: QuotaNotice) {
    var notice = notice
    (notice.retryAfter, notice.isAnswer) = (nil, true)
    (meaning, path, quota) = (.answered, .answered, .answered(notice))
    (wasSent, wait, pause, words) = (true, .zero, .zero, "")
  }

  /// Judges a page for a person in place of a registry's answer.
  ///
  /// No portal can put one there over HTTPS, which registries are asked by: it is the registry's fault.
  fileprivate init(ofPage notice: QuotaNotice) {
    var notice = notice
    notice.retryAfter = nil
    (meaning, path, quota) = (.retry, .open, .answered(notice))
    (wasSent, wait, pause) = (true, .zero, .zero)
    words = "the answer is a page for a person"
  }
}
