/// An error of the API, which handlers throw; told as `application/problem+json` (RFC 9457).
public struct Problem: Error, Sendable, Equatable {
  /// The last part of its `type`, behind ``Server/Configuration/problemPrefix``; `nil` is
  /// `about:blank`, which says no more than the status.
  public var type: String?

  /// The status of HTTP.
  public var status: Int

  /// What it is, the same for all of its type.
  public var title: String

  /// What it is this time, for people.
  public var detail: String?

  /// Further members.
  public var members: JSON

  /// Further headers, as `Retry-After`.
  public var headers: [String: String]

  /// Names a problem.
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

  /// As the body of an answer.
  ///
  /// - Parameter prefix: What stands before the type: `urn:example:`.
  /// - Returns: Its members, and `members`.
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
  /// 400: not what the format or the path allows.
  public static func malformed(_ detail: String) -> Problem {
    Problem("invalid", status: 400, title: "Malformed request", detail: detail)
  }

  /// 422: well formed, but members are missing or have wrong types or values.
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

  /// 405, with what may be done instead.
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

  /// 409: what is asked for cannot be done in the present state.
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

  /// 429: asked too often.
  public static func rate(retryAfter seconds: Int) -> Problem {
    Problem(
      "rate",
      status: 429,
      title: "Too many requests",
      detail: "try again in \(seconds) s",
      headers: ["Retry-After": "\(seconds)"]
    )
  }

  /// 503: too much at once.
  public static func busy(_ detail: String, retryAfter seconds: Int = 1) -> Problem {
    Problem(
      "busy",
      status: 503,
      title: "Busy",
      detail: detail,
      headers: ["Retry-After": "\(seconds)"]
    )
  }

  /// 507: the disk is full, or does not take what is written.
  public static func disk(_ detail: String) -> Problem {
    Problem("disk", status: 507, title: "No space", detail: detail)
  }

  /// 500: what is not foreseen.
  static var unforeseen: Problem {
    Problem(
      nil,
      status: 500,
      title: "Internal Server Error",
      detail: "why is told where the server was started"
    )
  }
}

/// An error that handlers may throw as it is, for clients are told of it as a ``Problem``.
public protocol ProblemConvertible: Error {
  /// What they are told; `nil` for what is the server's own fault, which is reported.
  var problem: Problem? { get }
}
