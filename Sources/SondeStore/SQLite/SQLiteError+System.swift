import Glibc
import SondeSQLite

extension SQLiteError {
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
