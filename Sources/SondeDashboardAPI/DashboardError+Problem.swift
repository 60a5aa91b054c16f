public import SondeDashboard
import SondeRecords
public import SondeWeb

extension DashboardError: ProblemConvertible {
  /// The response of the HTTP API.
  public var problem: Problem? {
    var problem = Problem(kind.rawValue, status: kind.status, title: kind.title, detail: detail)
    if let cause { problem.members = ["cause": .string(cause)] }
    if let retryAfter {
      problem.headers["Retry-After"] = "\(max(1, (retryAfter.milliseconds + 999) / 1000))"
    }
    return problem
  }
}

extension DashboardError.Kind {
  /// The problem's title, for people.
  var title: String {
    switch self {
    case .invalidAddress: "Invalid address"
    case .networkLost: "Network lost"
    case .provider: "Provider error"
    case .quota: "Quota used up"
    case .rate: "Too many requests"
    case .notFound: "Not found"
    case .conflict: "Conflict"
    case .invalid: "Invalid request"
    case .tooLarge: "Too large"
    case .disk: "No space"
    }
  }
}

extension StateError: ProblemConvertible {
  /// The HTTP response if the disk is full; anything else is an internal error.
  public var problem: Problem? { isDiskFull ? .disk(description) : nil }
}
