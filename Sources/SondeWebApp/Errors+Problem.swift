public import SondeAccounts
import Glibc
public import SondeSystem
public import SondeWeb

extension AccountError: ProblemConvertible {
  /// As an API tells it; `nil` for what is the server's own fault.
  public var problem: Problem? {
    switch self {
    case .invalidCredentials: Problem("credentials", status: 401, title: "\(self)")
    case .userExists: Problem("user-exists", status: 409, title: "\(self)")
    case .linkUsed:
      Problem("link-used", status: 410, title: "Link used or expired", detail: "\(self)")
    case .invalidEmail, .invalidPassword, .invalidName: .invalid("\(self)")
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
  /// 503.
  public var problem: Problem? {
    Problem("network-lost", status: 503, title: "Network lost", detail: description)
  }
}

extension SystemError: ProblemConvertible {
  /// 507 where a disk takes no more; anything else is the server's own fault.
  public var problem: Problem? {
    [ENOSPC, EDQUOT, EFBIG].contains(code) ? .disk("the disk is full") : nil
  }
}
