public import SondeAddresses
public import SondeRecords
public import SondeTransfer

/// The form of a provider's requests.
public enum RequestForm: Sendable {
  /// Several addresses per request.
  case batch
  /// One address per request.
  case single
}

/// The content of an answer, entry by entry.
public struct Answers: Sendable {
  /// A record for each requested address, in order: `ok` or `unknown`, and `failed` without a
  /// usable entry.
  public var block: RecordBlock

  /// The positions of the addresses without a usable entry, which may be requested again.
  public var missing: [Int]

  /// The provider's message about the first failed one; empty if there is none.
  public var complaint: String

  /// Why some have no entry.
  public var reason: String {
    complaint.isEmpty ? "the answer has no usable entry for it" : complaint
  }

  /// Creates answers.
  public init(block: RecordBlock, missing: [Int] = [], complaint: String = "") {
    (self.block, self.missing, self.complaint) = (block, missing, complaint)
  }
}

/// The content of a response in the provider's dialect, and the quota information in its headers.
public struct Reading: Sendable {
  /// The content of a body.
  public enum Content: Sendable {
    /// Entries, though perhaps not for all addresses.
    case answers(Answers)
    /// Empty, which this provider uses for too many requests.
    case nothing
    /// No entries, with the error in a body that should have some, or the message of an error's
    /// body.
    case unusable(String)
  }

  /// The content of the body.
  public let content: Content

  /// The quota information in the headers.
  public let notice: QuotaNotice

  /// Whether the response may be from the provider itself, judging by its form; otherwise it is
  /// from a proxy or a portal.
  public let isGenuine: Bool

  /// Creates a reading.
  public init(_ content: Content, _ notice: QuotaNotice, isGenuine: Bool = true) {
    (self.content, self.notice, self.isGenuine) = (content, notice, isGenuine)
  }
}

/// The dialect of a web API: its requests and the interpretation of its responses.
///
/// It sends nothing and has no state.
public protocol RemoteAPI: Sendable {
  /// The source of its answers.
  var source: Source { get }

  /// The base URL.
  var base: BaseURL { get }

  /// Whether it is a mirror, not the service itself.
  var isMirror: Bool { get }

  /// The key or token to send, which must never be shown or stored.
  var credential: String? { get }

  /// The selected fields, one bit each; an answer with more bits includes those with fewer.
  var selection: Int { get }

  /// The largest number of addresses per request of a form; 0 if the form is unsupported.
  func limit(of form: RequestForm) -> Int

  /// The published quota of a form; `nil` if there is none.
  func allowance(of form: RequestForm) -> Allowance?

  /// The longest wait accepted from it.
  var believableWait: BelievableWait { get }

  /// Creates a request for addresses; exactly one in ``RequestForm/single``.
  func request(for addresses: [Address], form: RequestForm) -> Request

  /// A cheap request about no particular address, to distinguish the provider from a login page.
  var probe: Request { get }

  /// Interprets a response to a request for addresses, for ``ExchangeVerdict`` to judge; `time` is
  /// in seconds since 1970 UTC.
  func read(
    _ response: Response,
    for addresses: [Address],
    form: RequestForm,
    time: Int64
  ) -> Reading
}

extension RemoteAPI {
  /// Whether it is used without a key or token.
  public var isFree: Bool { credential == nil }

  /// Whether ``Provider/Service/caution`` must be shown first: addresses are sent unencrypted and
  /// without an account.
  public var isCautionDue: Bool { isFree && !base.isSecure }

  /// Reads a body that should have entries; an empty one means `empty`.
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

  /// An error in the provider's own words, if there is one.
  private func errorWords(of response: Response) -> String {
    guard let document = try? JSONDocument(parsing: response.body),
      let members = document.root.members
    else { return "" }
    return document.errorText(in: members) ?? ""
  }
}

extension QuotaNotice {
  /// Reads `Retry-After`, which any HTTP service may send (RFC 9110 §10.2.3), up to the longest
  /// wait accepted; `time` is in seconds since 1970 UTC.
  init(of response: Response, time: Int64, believing wait: BelievableWait) {
    self.init()
    let longest = wait.longest(at: .seconds(time))
    retryAfter = response.header("Retry-After")
      .flatMap { RetryAfter.parse($0, now: time) }
      .map { min($0, longest) }
  }
}

extension JSONDocument {
  /// The message of an error object: ip-api's `message`, or ipinfo's `error`, a text or an object
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

  func value(_ name: StaticString, in members: Range<Int>) -> Value? {
    value(JSONKey(name), in: members)
  }
}
