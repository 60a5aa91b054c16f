internal import CSondeCurl
import Glibc

extension EasyHandle {
  func setCallbacks() {
    // Unretained: libcurl only calls back within curl_multi_perform(3) and the like, for handles
    // that the loop retains.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_PRIVATE, context))
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_ERRORBUFFER, errorText))
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_WRITEDATA, context))
    check(unsafe sonde_curl_set_callback(curl, handle, CURLOPT_WRITEFUNCTION, receiveBody))
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_HEADERDATA, context))
    check(unsafe sonde_curl_set_callback(curl, handle, CURLOPT_HEADERFUNCTION, receiveHeader))
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_PREREQDATA, context))
    check(unsafe sonde_curl_set_prerequest(curl, handle, CURLOPT_PREREQFUNCTION, permitRequest))
    if permitsAddress != nil {
      check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_OPENSOCKETDATA, context))
      check(
        unsafe sonde_curl_set_socket_maker(curl, handle, CURLOPT_OPENSOCKETFUNCTION, makeSocket)
      )
    }
    // A connection outlives the handle that opened it, but not its set, which retains these.
    let sockets = unsafe Unmanaged.passUnretained(sockets).toOpaque()
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_SOCKOPTDATA, sockets))
    check(unsafe sonde_curl_set_opener(curl, handle, CURLOPT_SOCKOPTFUNCTION, noteSocket))
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_CLOSESOCKETDATA, sockets))
    check(unsafe sonde_curl_set_closer(curl, handle, CURLOPT_CLOSESOCKETFUNCTION, closeSocket))
  }
}

/// CURLOPT_PREREQFUNCTION(3): called after connecting, before the request is written.
///
/// libcurl itself repeats a request if a pooled connection turns out to be dead; the quota would
/// not count that one.
private func permitRequest(
  _ context: UnsafeMutableRawPointer?,
  _: UnsafeMutablePointer<CChar>?,
  _: UnsafeMutablePointer<CChar>?,
  _: Int32,
  _: Int32
) -> Int32 {
  guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
  let easy = unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  easy.sends += 1
  return easy.sends == 1 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// CURLOPT_OPENSOCKETFUNCTION(3): called for each address, directly before connecting to it.
private func makeSocket(
  _ context: UnsafeMutableRawPointer?,
  _: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context = unsafe context, let address = unsafe address else { return CURL_SOCKET_BAD }
  let easy = unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  let bytes = unsafe addressBytes(address)
  guard let bytes, easy.permitsAddress?(bytes) == true else {
    easy.isAddressRefused = true
    return CURL_SOCKET_BAD
  }
  let kind = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
  return unsafe socket(address.pointee.family, kind, address.pointee.protocol)
}

/// The address that a socket is opened for; `nil` if it is not an IP address.
private func addressBytes(_ address: UnsafeMutablePointer<curl_sockaddr>) -> [UInt8]? {
  let range: Range<Int>? =
    switch unsafe address.pointee.family {
    case AF_INET: 4..<8  // sockaddr_in.sin_addr (ip(7))
    case AF_INET6: 8..<24  // sockaddr_in6.sin6_addr (ipv6(7))
    default: nil
    }
  guard let range, let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr),
    unsafe Int(address.pointee.addrlen) >= range.upperBound
  else { return nil }
  // An IPv6 address is longer than the member's declared type.
  let bytes = unsafe UnsafeRawBufferPointer(
    start: UnsafeRawPointer(address) + start,
    count: range.upperBound
  )
  return unsafe Array(bytes[range])
}

/// CURLOPT_SOCKOPTFUNCTION(3): called for each new socket before it connects.
private func noteSocket(
  _ context: UnsafeMutableRawPointer?,
  _ socket: curl_socket_t,
  _: curlsocktype
) -> Int32 {
  unsafe openSockets(context)?.insert(socket)
  return CURL_SOCKOPT_OK
}

/// CURLOPT_CLOSESOCKETFUNCTION(3).
private func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
  unsafe openSockets(context)?.remove(socket)
  takeBackUndelivered(socket)
  return close(socket)
}

private func openSockets(_ context: UnsafeMutableRawPointer?) -> OpenSockets? {
  guard let context = unsafe context else { return nil }
  return unsafe Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue()
}
