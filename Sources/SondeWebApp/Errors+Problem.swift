import Glibc
public import SondeAccounts
public import SondeSystem
public import SondeWeb

extension AccountError: ProblemConvertible {
  /// The error in the API's format; `nil` for internal errors.
  public var problem: Problem? {
    switch self {
    case .invalidCredentials: Problem("credentials", status: 401, title: "\(self)")
    case .userExists: Problem("user-exists", status: 409, title: "\(self)")
    case .linkUsed:
      Problem("link-used", status: 410, title: "Link used or expired", detail: "\(self)")
    case .invalidEmail, .invalidPassword, .commonPassword, .invalidName: .invalid("\(self)")
    case .invitationNeeded, .forbidden: .forbidden("\(self)")
    case .noAdmin, .adminExists: .conflict("\(self)")
    case .notFound: .notFound
    case .tooMany: .tooLarge("\(self)")
    case .tooSoon(let wait): .tooSoon("\(self)", wait)
    case .busy, .cancelled: .busy("\(self)")
    case .storage(_, isDiskFull: true): .disk("the disk is full")
    case .storage: nil
    }
  }
}

extension Problem {
  fileprivate static func tooSoon(_ detail: String, _ wait: Duration) -> Problem {
    var problem = Problem.rate(retryAfter: Int(max(1, (wait / .seconds(1)).rounded(.up))))
    problem.detail = detail
    return problem
  }
}

extension NetworkLost: ProblemConvertible {
  /// Status 503.
  public var problem: Problem? {
    Problem("network-lost", status: 503, title: "Network lost", detail: description)
  }
}

extension SystemError: ProblemConvertible {
  /// Status 507 if a disk is full; other errors are internal.
  public var problem: Problem? {
    [ENOSPC, EDQUOT, EFBIG].contains(code) ? .disk("the disk is full") : nil
  }
}
