internal import CCurl
import Glibc

/// A `CURL`: one transfer at a time, and the buffers of its answer.
///
/// Thread contract (libcurl-thread(3)): a handle may be used by one thread at a time; this one lives
/// and dies on its client's own thread.
@safe final class EasyHandle {
  let handle: UnsafeMutableRawPointer

  /// The set it is in while under way.
  var multi: MultiHandle?

  private let curl: UnsafePointer<sonde_curl>
  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var settingFailed = false
  private let proxies: ProxyRules
  private let sockets: OpenSockets
  /// What the request under way goes through.
  fileprivate var proxy: Proxy?

  fileprivate(set) var exchange: Exchange?
  fileprivate var answer = Answer()

  /// How often libcurl was about to write the request; it sends none twice.
  fileprivate var sends = 0

  /// Makes a handle with all that stays the same for every request of a client.
  ///
  /// - Parameters:
  ///   - configuration: What stays the same.
  ///   - sockets: Where the sockets are noted that it opens; they may outlive it.
  /// - Throws: ``TransferError`` when libcurl cannot be loaded, or lacks memory or what it needs.
  init(
    _ configuration: HTTPClient.Configuration,
    noting sockets: OpenSockets
  ) throws(TransferError) {
    let curl = unsafe try LibCurl.functions()
    guard let handle = unsafe curl.pointee.curl_easy_init() else {
      throw TransferError(.misconfigured("libcurl is out of memory"))
    }
    unsafe (self.curl, self.handle) = (curl, handle)
    proxies = configuration.proxies
    self.sockets = sockets
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    setTransport()
    set(CURLOPT_USERAGENT, configuration.userAgent)
    setTrust(configuration.authorities)
    // The environment's exceptions are in the rules already; empty, they are not read again.
    set(CURLOPT_NOPROXY, "")
    setCallbacks()
    if settingFailed { throw TransferError(.misconfigured("libcurl lacks a needed feature")) }
  }

  deinit {
    unsafe curl.pointee.curl_easy_cleanup(handle)
    unsafe curl.pointee.curl_slist_free_all(headerList)
    unsafe errorText.deallocate()
  }

  /// The Swift object of a `CURL` that ``MultiHandle`` took in.
  static func owner(
    of handle: UnsafeMutableRawPointer?,
    by curl: UnsafePointer<sonde_curl>
  ) -> EasyHandle? {
    var context: UnsafeMutableRawPointer?
    let code = unsafe sonde_curl_get_pointer(curl, handle, CURLINFO_PRIVATE, &context)
    guard code == CURLE_OK, let context = unsafe context else { return nil }
    return unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  }
}

// MARK: - What stays the same

extension EasyHandle {
  private func setTransport() {
    // No signals: this is not the main thread. Quick exit: ending a transfer whose name is being
    // resolved would otherwise wait for the name server.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    // A redirect where data was due is a login page or a wrong URL; following it could take a token
    // to another host. The caller sees the 3xx.
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // Every compression that libcurl was built with.
    set(CURLOPT_ACCEPT_ENCODING, "")
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_TCP_KEEPIDLE, 30)
    set(CURLOPT_TCP_KEEPINTVL, 10)
    set(CURLOPT_BUFFERSIZE, 64 << 10)
  }

  private func setTrust(_ authorities: CertificateAuthorities) {
    if let file = authorities.file {
      set(CURLOPT_CAINFO, file)
      set(CURLOPT_PROXY_CAINFO, file)
    }
    if let folder = authorities.folder {
      set(CURLOPT_CAPATH, folder)
      set(CURLOPT_PROXY_CAPATH, folder)
    }
  }

  private func setCallbacks() {
    // Unretained: libcurl calls back only within curl_multi_perform(3) and friends, for handles that
    // the loop holds.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_PRIVATE, context))
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_ERRORBUFFER, errorText))
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_WRITEDATA, context))
    check(unsafe sonde_curl_set_callback(curl, handle, CURLOPT_WRITEFUNCTION, receiveBody))
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_HEADERDATA, context))
    check(unsafe sonde_curl_set_callback(curl, handle, CURLOPT_HEADERFUNCTION, receiveHeader))
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_PREREQDATA, context))
    check(unsafe sonde_curl_set_prerequest(curl, handle, CURLOPT_PREREQFUNCTION, permitRequest))
    // A connection outlives the handle that it was opened for, but not its set, which holds these.
    let sockets = unsafe Unmanaged.passUnretained(sockets).toOpaque()
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_SOCKOPTDATA, sockets))
    check(unsafe sonde_curl_set_opener(curl, handle, CURLOPT_SOCKOPTFUNCTION, noteSocket))
    check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_CLOSESOCKETDATA, sockets))
    check(unsafe sonde_curl_set_closer(curl, handle, CURLOPT_CLOSESOCKETFUNCTION, closeSocket))
  }

  private func set(_ option: CURLoption, _ value: Int) {
    check(unsafe sonde_curl_set_long(curl, handle, option, value))
  }

  private func set(_ option: CURLoption, _ text: String?) {
    guard let text else {
      check(unsafe sonde_curl_set_text(curl, handle, option, nil))
      return
    }
    check(unsafe sonde_curl_set_text(curl, handle, option, text))
  }

  private func check(_ code: CURLcode) { if code != CURLE_OK { settingFailed = true } }
}

// MARK: - One exchange

extension EasyHandle {
  /// Sets all that differs from request to request; every such option, so that nothing of the
  /// former one stays.
  /// - Throws: ``TransferError`` when libcurl will not take an option.
  func prepare(_ exchange: Exchange) throws(TransferError) {
    let request = exchange.request
    self.exchange = exchange
    answer = Answer(limit: request.maximumBody)
    sends = 0
    unsafe errorText[0] = 0
    settingFailed = false
    set(CURLOPT_URL, request.url)
    setMethod(request)
    setHeaders(exchange.headerLines)
    setRoute(request, to: exchange.endpoint)
    set(CURLOPT_TIMEOUT_MS, milliseconds(request.timeout))
    set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.connectTimeout))
    if settingFailed {
      throw exchange.error(.misconfigured("libcurl refused it"), phase: .preparing)
    }
  }

  /// Lets go of the exchange and its secrets, ready for the next.
  func clear() {
    exchange = nil
    answer = Answer()
    setHeaders([])
  }

  private func setMethod(_ request: Request) {
    guard request.method == .post else {
      set(CURLOPT_HTTPGET, 1)
      return
    }
    set(CURLOPT_POST, 1)
    let size = curl_off_t(request.body.count)
    check(unsafe sonde_curl_set_offset(curl, handle, CURLOPT_POSTFIELDSIZE_LARGE, size))
    // An empty array has no address, and none would mean a callback to libcurl.
    guard !request.body.isEmpty else {
      set(CURLOPT_COPYPOSTFIELDS, "")
      return
    }
    unsafe request.body.withUnsafeBytes { bytes in
      check(unsafe sonde_curl_set_pointer(curl, handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress))
    }
  }

  private func setHeaders(_ lines: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      if let longer = unsafe curl.pointee.curl_slist_append(list, line) {
        unsafe list = longer
      } else {
        settingFailed = true
      }
    }
    check(unsafe sonde_curl_set_list(curl, handle, CURLOPT_HTTPHEADER, list))
    unsafe curl.pointee.curl_slist_free_all(headerList)
    unsafe headerList = list
  }

  private func setRoute(_ request: Request, to endpoint: Endpoint) {
    // HTTP/2 is negotiated within TLS only; there a second request waits to share the connection.
    let version = endpoint.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
    set(CURLOPT_HTTP_VERSION, Int(version))
    set(CURLOPT_PIPEWAIT, endpoint.isSecure ? 1 : 0)
    set(CURLOPT_FRESH_CONNECT, request.isFreshConnection ? 1 : 0)
    proxy = proxies.proxy(to: endpoint, withSecret: request.holdsSecret)
    // Empty, no variable of the environment names one either.
    set(CURLOPT_PROXY, proxy?.url ?? "")
  }

  /// Whole milliseconds, rounded up: 0 would mean "no limit" to libcurl.
  private func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0 else { return 1 }
    let limit = Int64(Int32.max)
    guard seconds < limit / 1000 else { return Int(limit) }
    return max(1, Int(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}

// MARK: - The outcome

extension EasyHandle {
  /// The answer, or why there is none; the buffers are handed over.
  func outcome(_ code: CURLcode) -> Result<Response, any Error> {
    guard code != CURLE_OK else { return .success(response()) }
    let failure = failure(code)
    guard let exchange else { return .failure(TransferError(failure.reason)) }
    return .failure(exchange.error(failure.reason, phase: failure.phase, through: proxy))
  }

  /// How far the exchange has come.
  var phase: TransferError.Phase { failure(CURLE_OK).phase }

  private func response() -> Response {
    let (header, body) = answer.take()
    return Response(
      status: number(CURLINFO_RESPONSE_CODE),
      body: body,
      rawHeader: header,
      remoteAddress: text(CURLINFO_PRIMARY_IP),
      httpVersion: number(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0) ? .http2 : .http1
    )
  }

  private func failure(_ code: CURLcode) -> Failure {
    Failure(
      code: code,
      systemError: Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)),
      isResolved: long(CURLINFO_NAMELOOKUP_TIME_T) > 0 || exchange?.endpoint.isLiteral == true,
      isConnected: number(CURLINFO_NUM_CONNECTS) > 0,
      isSent: sends > 0,
      hasAnswer: answer.hasBegun,
      proxyStatus: number(CURLINFO_HTTP_CONNECTCODE),
      isTooLarge: answer.isTooLarge,
      detail: unsafe printable(String(cString: errorText))
    )
  }

  /// The body's length by its header, before decompression; 0 where unknown.
  fileprivate var announcedLength: Int {
    max(0, Int(long(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)))
  }

  private func number(_ info: CURLINFO) -> Int {
    var value = 0
    return unsafe sonde_curl_get_long(curl, handle, info, &value) == CURLE_OK ? value : 0
  }

  private func long(_ info: CURLINFO) -> curl_off_t {
    var value: curl_off_t = 0
    return unsafe sonde_curl_get_offset(curl, handle, info, &value) == CURLE_OK ? value : 0
  }

  private func text(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard unsafe sonde_curl_get_text(curl, handle, info, &value) == CURLE_OK,
      let value = unsafe value, unsafe value.pointee != 0
    else { return nil }
    return unsafe String(cString: value)
  }

  /// A certificate's names come from the other side: no control characters in what is printed.
  private func printable(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.value >= 0x20 && $0.value < 0x7f ? Character($0) : "?" })
  }
}

// MARK: - Callbacks

/// CURLOPT_WRITEFUNCTION(3): taking less than was given ends the transfer.
private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?,
  _ size: Int,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
  let easy = unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  let chunk = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  return easy.answer.appendBody(unsafe chunk.bytes, expecting: easy.announcedLength)
    ? size * count : 0
}

/// CURLOPT_HEADERFUNCTION(3): one whole line a call.
private func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?,
  _ size: Int,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
  let easy = unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  return easy.answer.appendHeader(unsafe line.bytes) ? size * count : 0
}

/// CURLOPT_PREREQFUNCTION(3): called once there is a connection, before the request is written to it.
///
/// libcurl writes it again by itself where a kept connection turns out to be dead; nobody would
/// count that one.
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

/// CURLOPT_SOCKOPTFUNCTION(3): called for each socket that was made, before it connects.
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
