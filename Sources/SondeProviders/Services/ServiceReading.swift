public import SondeAddresses
import SondeRecords
public import SondeTransfer

/// The content of a web service's response, and its consequences.
public struct ServiceReading: Sendable {
  /// What a service says of an address.
  public enum Answer: Sendable, Equatable {
    /// For each column but the status its texts: none if it has no value, several if it is a list.
    case found([[String]])
    /// It knows nothing of the address.
    case unknown
  }

  /// The answer; `nil` if there is none, see the verdict.
  public let answer: Answer?

  /// The consequences for the question, the path and the quota.
  public let verdict: ExchangeVerdict

  /// Interprets a response about an address; `time` is in seconds since 1970 UTC.
  public init(
    _ response: Response,
    from service: WebService,
    withKey hasKey: Bool,
    about address: Address,
    time: Int64
  ) {
    let notice = service.notice(of: response, withKey: hasKey, time: time)
    switch response.status {
    case let status where service.unknown.contains(status):
      answer = .unknown
      verdict = ExchangeVerdict(response, .answer(notice), form: .single)
    case 200 where response.looksLikeLoginPage, 511:
      answer = nil
      verdict = ExchangeVerdict(ofPage: notice)
    case 300..<400:
      answer = nil
      verdict = ExchangeVerdict(ofPage: notice, "HTTP \(response.status)")
    case 200:
      do throws(Fault) {
        answer = .found(try service.values(in: response.body, about: address))
        verdict = ExchangeVerdict(response, .answer(notice), form: .single)
      } catch {
        answer = nil
        verdict = ExchangeVerdict(
          response,
          Reading(.unusable(error.reason), notice),
          form: .single
        )
      }
    default:
      answer = nil
      verdict = ExchangeVerdict(response, Reading(.unusable(""), notice), form: .single)
    }
  }

  /// Why a body is no answer.
  struct Fault: Error { let reason: String }
}

extension WebService {
  /// The values of an answer's columns.
  fileprivate func values(
    in body: [UInt8],
    about asked: Address
  ) throws(ServiceReading.Fault) -> [[String]] {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: body)
    } catch {
      throw ServiceReading.Fault(reason: "the answer is not JSON (\(error.reason))")
    }
    if let address {
      guard let text = address.value(in: document)?.text, let own = Address(document.string(text))
      else { throw ServiceReading.Fault(reason: "the answer names no address") }
      guard own == asked else {
        throw ServiceReading.Fault(reason: "the answer is about another address")
      }
    }
    return values.map { column in
      column.pointer.value(in: document).flatMap { document.texts(of: $0, as: column.type) } ?? []
    }
  }

  /// The information about the quota: `Retry-After`, `X-RateLimit-Remaining` and
  /// `X-RateLimit-Reset`.
  ///
  /// 429 without a time means for a quota of a day that the day is spent.
  fileprivate func notice(
    of response: Response,
    withKey hasKey: Bool,
    time: Int64
  ) -> QuotaNotice {
    var notice = QuotaNotice(of: response, time: time, believing: Self.believableWait)
    notice.remaining = response.header("X-RateLimit-Remaining").flatMap { Int($0) }
    notice.resetsIn = response.header("X-RateLimit-Reset").flatMap { Self.rest($0, time: time) }
    guard response.status == 429, notice.retryAfter == nil, notice.resetsIn == nil else {
      return notice
    }
    if allowance(withKey: hasKey).period >= .seconds(86_400) {
      notice.retryAfter = CalendarWindow.day.rest(at: time)
      notice.isSpentForPeriod = true
    }
    return notice
  }

  /// The time until a window ends, from a header that states it in seconds, or as a moment since 1970.
  private static func rest(_ text: String, time: Int64) -> Duration? {
    guard let number = Int64(text), number >= 0 else { return nil }
    // No window lasts ten years.
    let rest = number > 315_360_000 ? max(0, number - time) : number
    return min(.seconds(rest), believableWait.longest(at: .seconds(time)))
  }
}

extension JSONDocument {
  /// A value as the texts of a column; `nil` if it has another type.
  fileprivate func texts(of value: Value, as type: WebService.ValueType) -> [String]? {
    switch (type, value) {
    case (.text, .string(let text)): return text.count > 0 ? [string(text).confined] : nil
    case (.boolean, .bool(let flag)): return [flag ? "true" : "false"]
    case (.integer, _): return value.integer.map { ["\($0)"] }
    case (.number, .integer(let number)): return ["\(number)"]
    case (.number, .double(let number)): return [value.integer.map { "\($0)" } ?? "\(number)"]
    case (.integers, .array(let elements)):
      var texts: [String] = []
      forEachElement(elements) { if let number = $0.integer { texts.append("\(number)") } }
      return texts
    case (.list, .array(let elements)):
      var texts: [String] = []
      forEachElement(elements) { if let text = scalar($0) { texts.append(text) } }
      return texts
    default: return nil
    }
  }

  /// An element of a list as a text; `nil` if it is none, or has none.
  private func scalar(_ value: Value) -> String? {
    switch value {
    case .string(let text): text.count > 0 ? string(text).confined : nil
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let number): "\(number)"
    case .double(let number): value.integer.map { "\($0)" } ?? "\(number)"
    case .null, .array, .object: nil
    }
  }
}

extension JSONDocument.Value {
  /// The whole number, also if it is written with a fraction of zero.
  fileprivate var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number)
    default: nil
    }
  }
}
