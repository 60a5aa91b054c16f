import Glibc
import SondeSQLite

extension SQLiteError {
  /// Creates an error from a failed system call, by `errno`.
  init(system name: String, code: Int32 = errno) {
    let message = unsafe String(cString: strerror(code))
    let kind: Kind =
      switch code {
      case ENOSPC, EDQUOT: .full
      case EIO, ENOMEM, EMFILE, ENFILE: .failing
      default: .forbidden
      }
    self.init(kind, "\(name): \(message)")
  }
}
