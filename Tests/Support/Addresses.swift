public import SondeAddresses
import Glibc

/// An address as the C library reads it, not the code under test.
public func address(_ text: String) -> Address {
  var bytes = in6_addr()
  let code = unsafe inet_pton(AF_INET6, text.contains(":") ? text : "::ffff:\(text)", &bytes)
  precondition(code == 1, "not an address: \(text)")
  return unsafe withUnsafeBytes(of: &bytes) { raw in
    unsafe Address(
      high: raw.loadUnaligned(as: UInt64.self).bigEndian,
      low: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
    )
  }
}
