public import SondeAddresses
public import SondeRecords
public import SondeTransfer

/// How a provider takes its questions.
public enum RequestForm: Sendable {
  /// Many addresses in one request.
  case batch
  /// One address a request.
  case single
}

/// What an answer says, entry by entry.
public struct Answers: Sendable {
  /// A record for each address asked, in that order: `ok` or `unknown`, and
  /// `failed` where the answer has no usable entry.
  public var block: RecordBlock

  /// The positions of the addresses without a usable entry; they can be asked again.
  public var missing: [Int]

  /// What the provider says of the first of those that it failed at; empty where it says nothing.
  public var complaint: String

  /// Why some have none.
  public var reason: String {
    complaint.isEmpty ? "the answer has no usable entry for it" : complaint
  }

  /// Makes answers.
  public init(block: RecordBlock, missing: [Int] = [], complaint: String = "") {
    self.block = block
    self.missing = missing
    self.complaint = complaint
  }
}

/// What one response holds, in the provider's dialect, and what its headers tell of the quota.
public struct Reading: Sendable {
  /// What a body holds.
  public enum Content: Sendable {
    /// Entries, though perhaps not for every address.
    case answers(Answers)
    /// Nothing, which is this provider's word for too many requests.
    case nothing
    /// No entries: what is wrong with a body that was to hold some, or what the body of an error
    /// says, if anything.
    case unusable(String)
  }

  /// What the body holds.
  public let content: Content

  /// What the headers tell of the quota.
  public let notice: QuotaNotice

  /// Whether the provider itself may have sent the response, by its form; else a proxy or a portal has.
  public let isGenuine: Bool

  /// Makes a reading.
  public init(_ content: Content, _ notice: QuotaNotice, isGenuine: Bool = true) {
    self.content = content
    self.notice = notice
    self.isGenuine = isGenuine
  }
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

  /// What it is asked for, where that can be chosen: a bit for each thing; an answer with more of them
  /// holds at least what one with fewer does.
  var selection: Int { get }

  /// The most addresses one request may hold in a form; 0 where it has no such form.
  func limit(of form: RequestForm) -> Int

  /// The published quota of a form; `nil` where there is none.
  func allowance(of form: RequestForm) -> Allowance?

  /// The longest wait that it is believed to ask for.
  var believableWait: BelievableWait { get }

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
  /// - Returns: What the response holds for each address, and tells of the quota; what that means is
  ///   ``ExchangeVerdict``'s to say.
  func read(
    _ response: Response,
    for addresses: [Address],
    form: RequestForm,
    time: Int64
  ) -> Reading
}

extension RemoteAPI {
  /// Whether it is asked without a key or token.
  public var isFree: Bool { credential == nil }

  /// Whether a user is to know before addresses go there what ``Provider/Service/caution`` says: they
  /// go unencrypted, and without an account.
  public var isCautionDue: Bool { isFree && !base.isSecure }

  /// Reads a body, if it is one that was to hold entries.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - empty: What a body of no bytes is.
  ///   - read: Reads the entries.
  /// - Returns: What it holds.
  func content(
    of response: Response,
    empty: Reading.Content,
    _ read: (JSONDocument) -> Reading.Content
  ) -> Reading.Content {
    guard response.status == 200, !response.looksLikeLoginPage else {
      return .unusable(errorWords(of: response))
    }
    guard !response.body.isEmpty else { return empty }
    do {
      return read(try JSONDocument(parsing: response.body))
    } catch {
      return .unusable("the answer is not JSON (\(error.reason))")
    }
  }

  /// An error in the provider's own words, if it has any.
  private func errorWords(of response: Response) -> String {
    guard let document = try? JSONDocument(parsing: response.body),
      let members = document.root.members
    else { return "" }
    return document.errorText(in: members) ?? ""
  }
}

extension QuotaNotice {
  /// Reads the header that any HTTP service may send: `Retry-After` (RFC 9110 §10.2.3).
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - time: The present, in seconds since 1970 UTC.
  ///   - wait: The longest wait that is believed.
  init(of response: Response, time: Int64, believing wait: BelievableWait) {
    self.init()
    let longest = wait.longest(at: .seconds(time))
    retryAfter = response.header("Retry-After")
      .flatMap { RetryAfter.parse($0, now: time) }
      .map { min($0, longest) }
  }
}

extension JSONDocument {
  /// The words of an error object: ip-api's `message`, or ipinfo's `error`, a text or an object
  /// with a `title` and a `message`.
  func errorText(in members: Range<Int>) -> String? {
    if let message = value("message", in: members)?.text { return string(message).confined }
    switch value("error", in: members) {
    case .string(let text): return string(text).confined
    case .object(let inner):
      let parts = [value("title", in: inner)?.text, value("message", in: inner)?.text]
      let words = parts.compactMap { $0 }.map { string($0) }
      return words.isEmpty ? nil : words.joined(separator: ": ").confined
    default: return nil
    }
  }

  /// The value of a key given by its name.
  func value(_ name: StaticString, in members: Range<Int>) -> Value? {
    value(JSONKey(name), in: members)
  }
}
