public import Addresses
public import Records
public import Transfer

/// How a provider takes its questions.
public enum RequestForm: Sendable {
  /// Many addresses in one request.
  case batch
  /// One address a request.
  case single
}

/// What an answer says, entry by entry.
public struct Answers: Sendable {
  /// A record for each address asked, in that order: ``Status/ok`` or ``Status/unknown``, and
  /// ``Status/failed`` where the answer has no usable entry.
  public var block: RecordBlock

  /// The positions of the addresses without a usable entry; they can be asked again.
  public var missing: [Int]

  /// Makes answers.
  public init(block: RecordBlock, missing: [Int] = []) {
    self.block = block
    self.missing = missing
  }
}

/// What one response means.
public enum Reading: Sendable {
  /// Answers, though perhaps not for every address.
  case answers(Answers)
  /// Too many requests; the response's ``QuotaNotice`` says how long to wait, if it is known.
  case throttled
  /// The provider's fault; another try may do better.
  case fault(String)
  /// The provider will not answer this user again in this run.
  case refused(String)
  /// This provider takes one address at a time.
  case takesNoBatch
  /// Something between here and the provider answered in its place.
  case loginPage
}

/// The dialect of one web API: how to ask it and what its answers mean.
///
/// Pure; sends nothing.
public protocol RemoteAPI: Sendable {
  /// Who answers.
  var source: Source { get }

  /// Where it is asked.
  var base: BaseURL { get }

  /// Whether it is asked at another place than the service's own.
  var isMirror: Bool { get }

  /// The key or token that is sent; never to be shown or kept.
  var credential: String? { get }

  /// What its answers are made of, as far as that depends on what it is asked for.
  var selection: String { get }

  /// The most addresses one request may hold in a form; 0 where it has no such form.
  func limit(of form: RequestForm) -> Int

  /// The published quota of a form; `nil` where there is none.
  func allowance(of form: RequestForm) -> Allowance?

  /// Asks for addresses; exactly one in ``RequestForm/single``.
  func request(for addresses: [Address], form: RequestForm) -> Request

  /// A cheap question about nobody, to tell the provider from a login page in its place.
  var probe: Request { get }

  /// Reads a response with the addresses it was asked for.
  ///
  /// - Parameters:
  ///   - response: What came back.
  ///   - addresses: The addresses of the request, in its order.
  ///   - form: The form of the request.
  ///   - time: The present, in seconds since 1970 UTC.
  /// - Returns: What the response means for each address, or for all of them.
  func read(
    _ response: Response,
    for addresses: [Address],
    form: RequestForm,
    time: Int64
  ) -> Reading

  /// What the response's headers say of the quota.
  func notice(of response: Response) -> QuotaNotice
}

extension RemoteAPI {
  /// Whether it is asked without a key or token.
  public var isFree: Bool { credential == nil }

  /// The quota headers that any HTTP service may send: 429 (RFC 6585 §4) and `Retry-After`.
  func plainNotice(of response: Response, now: Int64) -> QuotaNotice {
    var notice = QuotaNotice()
    notice.isThrottled = response.status == 429
    notice.isAnswer = response.status == 200 && !response.body.isEmpty
    notice.retryAfter = response.header("Retry-After").flatMap { RetryAfter.parse($0, now: now) }
    return notice
  }

  /// What a status other than 200 means for any of them; `nil` for 200.
  func readStatus(of response: Response, form: RequestForm) -> Reading? {
    switch response.status {
    case 200:
      return response.looksLikeLoginPage ? .loginPage : response.body.isEmpty ? .throttled : nil
    case 300...399: return .loginPage
    case 429: return .throttled
    case 404 where form == .batch, 405 where form == .batch: return .takesNoBatch
    case 408, 425, 500...599: return .fault("HTTP \(response.status)")
    default: return .refused(refusal(of: response))
    }
  }

  /// A refusal in the provider's own words, if it has any.
  func refusal(of response: Response) -> String {
    let status = "HTTP \(response.status)"
    guard let document = try? JSONDocument(parsing: response.body),
      let members = document.root.members,
      let words = document.errorText(in: members)
    else { return status }
    return "\(status): \(words)"
  }
}

extension JSONDocument {
  /// The words of an error object: ip-api's `message`, or ipinfo's `error`, a text or an object
  /// with a `title` and a `message`.
  func errorText(in members: Range<Int>) -> String? {
    if let message = value("message", in: members)?.text { return string(message) }
    switch value("error", in: members) {
    case .string(let text): return string(text)
    case .object(let inner):
      let parts = [value("title", in: inner)?.text, value("message", in: inner)?.text]
      let words = parts.compactMap { $0 }.map { string($0) }
      return words.isEmpty ? nil : words.joined(separator: ": ")
    default: return nil
    }
  }

  /// The value of a key given by its name.
  func value(_ name: StaticString, in members: Range<Int>) -> Value? {
    value(JSONKey(name), in: members)
  }
}
