/// An error of the API, thrown by handlers and sent as `application/problem+json` (RFC 9457).
public struct Problem: Error, Sendable, Equatable {
  /// The last part of its `type`, after ``Server/Configuration/problemPrefix``; `nil` for
  /// `about:blank`, which adds nothing to the status.
  public var type: String?

  /// The HTTP status.
  public var status: Int

  /// A title common to all problems of the type.
  public var title: String

  /// Details of this occurrence, in plain words.
  public var detail: String?

  /// Additional members.
  public var members: JSON

  /// Additional headers, such as `Retry-After`.
  public var headers: [String: String]

  /// Creates a problem.
  public init(
    _ type: String?,
    status: Int,
    title: String,
    detail: String? = nil,
    members: JSON = [:],
    headers: [String: String] = [:]
  ) {
    (self.type, self.status, self.title, self.detail) = (type, status, title, detail)
    (self.members, self.headers) = (members, headers)
  }

  /// The body of the answer; the type begins with the prefix, `urn:example:`.
  func json(prefix: String) -> JSON {
    var all: [(String, JSON)] = [
      ("type", .string(type.map { prefix + $0 } ?? "about:blank")), ("title", .string(title)),
      ("status", .integer(Int64(status))),
    ]
    if let detail { all.append(("detail", .string(detail))) }
    if case .object(let members) = members { all += members }
    return .object(all)
  }
}

extension Problem {
  /// 400: violates the format, or is not permitted at this path.
  public static func malformed(_ detail: String) -> Problem {
    Problem("invalid", status: 400, title: "Malformed request", detail: detail)
  }

  /// 422: well-formed, but members are missing or have wrong types or values.
  public static func invalid(_ detail: String) -> Problem {
    Problem("invalid", status: 422, title: "Invalid request", detail: detail)
  }

  /// 401: no session.
  public static var unauthorized: Problem {
    Problem(
      "unauthorized",
      status: 401,
      title: "Not logged in",
      detail: "there is no session, or it has ended",
      headers: ["WWW-Authenticate": "Cookie"]
    )
  }

  /// 403.
  public static func forbidden(_ detail: String) -> Problem {
    Problem("forbidden", status: 403, title: "Forbidden", detail: detail)
  }

  /// 404.
  public static var notFound: Problem {
    Problem("not-found", status: 404, title: "Not found", detail: "there is nothing here")
  }

  /// 405, with the permitted methods.
  static func method(allowed: [Method]) -> Problem {
    let allowed = allowed.map(\.rawValue).joined(separator: ", ")
    return Problem(
      "method",
      status: 405,
      title: "Method not allowed",
      detail: "here it must be one of \(allowed)",
      headers: ["Allow": allowed]
    )
  }

  /// 409: impossible in the current state.
  public static func conflict(_ detail: String) -> Problem {
    Problem("conflict", status: 409, title: "Conflict", detail: detail)
  }

  /// 413: larger than a limit.
  public static func tooLarge(_ detail: String) -> Problem {
    Problem("too-large", status: 413, title: "Too large", detail: detail)
  }

  /// 415.
  public static func mediaType(_ wanted: String) -> Problem {
    Problem("media-type", status: 415, title: "Wrong media type", detail: "must be \(wanted)")
  }

  /// 429: too many requests.
  public static func rate(retryAfter seconds: Int) -> Problem {
    Problem(
      "rate",
      status: 429,
      title: "Too many requests",
      detail: "try again in \(seconds) s",
      headers: ["Retry-After": "\(seconds)"]
    )
  }

  /// 503: overloaded.
  public static func busy(_ detail: String, retryAfter seconds: Int = 1) -> Problem {
    Problem(
      "busy",
      status: 503,
      title: "Busy",
      detail: detail,
      headers: ["Retry-After": "\(seconds)"]
    )
  }

  /// 507: the disk is full or not writable.
  public static func disk(_ detail: String) -> Problem {
    Problem("disk", status: 507, title: "No space", detail: detail)
  }

  /// 500: an unexpected error.
  static var unforeseen: Problem {
    Problem(
      nil,
      status: 500,
      title: "Internal Server Error",
      detail: "why is told where the server was started"
    )
  }
}

/// An error that handlers may throw directly, since it can be sent as a ``Problem``.
public protocol ProblemConvertible: Error {
  /// The problem to send; `nil` for an internal error, which is reported.
  var problem: Problem? { get }
}
