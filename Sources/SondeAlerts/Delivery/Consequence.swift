import SondeProviders
import SondeSystem
import SondeTransfer
import SondeWeb

/// The result of an attempt to deliver an alert, by the answer of its receiver.
enum Consequence: Equatable, Sendable {
  case delivered
  /// To be tried again, after the wait that the answer asks for, if any.
  case again(after: Duration?)
  /// It is never accepted, and not tried again.
  case refused

  /// The longest wait that an answer can set.
  static let longestWait = Duration.seconds(3600)

  /// Decides by the answer alone; `now` is in seconds since 1970 UTC.
  ///
  /// 408, 425, 429 and 5xx are temporary (RFC 9110 §15.5.9, §15.6, RFC 8470 §5.2, RFC 6585 §4). A
  /// redirect over plain HTTP is a login page's; over TLS it is the receiver's own.
  init(of response: SondeTransfer.Response, isSecure: Bool, now: Int64) {
    switch response.status {
    case 200..<300: self = .delivered
    case 408, 425, 429, 500..<600: self = .again(after: Self.wait(in: response, now: now))
    case 300..<400 where !isSecure: self = .again(after: Self.wait(in: response, now: now))
    default: self = .refused
    }
  }

  /// The longer wait of `Retry-After` and, for 429, the member `retry_after` of a JSON body, as
  /// Discord and Slack send them; `nil` if neither has one.
  private static func wait(in response: SondeTransfer.Response, now: Int64) -> Duration? {
    let header = response.values(of: "Retry-After").compactMap { RetryAfter.parse($0, now: now) }
    let body = response.status == 429 ? retryAfter(in: response.body) : nil
    guard let wait = (header + [body].compactMap(\.self)).max(), wait > .zero else { return nil }
    return min(wait, longestWait)
  }

  private static func retryAfter(in body: [UInt8]) -> Duration? {
    guard let digits = (try? JSON(parsing: body))?["retry_after"]?.digits,
      let seconds = Double(digits), seconds > 0
    else { return nil }
    return seconds < 3600 ? .seconds(seconds) : longestWait
  }
}
