import Glibc
import SondeOptions

/// The name of this machine in alerts.
package enum HostName {
  /// The name of the options, else the machine's (gethostname(2)).
  package static func own(_ context: Context) -> String {
    if let name = context.options.hostName { return name }
    // At most 64 bytes and a zero (HOST_NAME_MAX, limits.h).
    var name = [CChar](repeating: 0, count: 65)
    guard unsafe gethostname(&name, name.count) == 0, name[0] != 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
