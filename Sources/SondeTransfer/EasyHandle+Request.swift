internal import CSondeCurl

extension EasyHandle {
  /// Sets all options that vary, so that none of the last request remains; throws on a refusal.
  func prepare(_ exchange: SubmittedRequest) throws(TransferError) {
    let request = exchange.request
    self.exchange = exchange
    answer = ReceivedAnswer(limit: request.maximumBody)
    (sends, isAddressRefused, settingFailed) = (0, false, false)
    unsafe errorText[0] = 0
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

  /// Erases the exchange and its secrets.
  func clear() {
    exchange = nil
    answer = ReceivedAnswer()
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
    // An empty array has no address, and a null pointer would make libcurl call back.
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
    // HTTP/2 is negotiated within TLS only; there a second request waits to share the
    // connection.
    let version = endpoint.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
    set(CURLOPT_HTTP_VERSION, Int(version))
    set(CURLOPT_PIPEWAIT, endpoint.isSecure ? 1 : 0)
    set(CURLOPT_FRESH_CONNECT, request.isFreshConnection ? 1 : 0)
    proxy = proxies.proxy(to: endpoint, withSecret: request.holdsSecret)
    // An empty value also overrides the environment's variables.
    set(CURLOPT_PROXY, proxy?.url ?? "")
  }

  /// Converts to whole milliseconds, rounded up, since 0 means "no limit" to libcurl.
  private func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0 else { return 1 }
    let limit = Int64(Int32.max)
    guard seconds < limit / 1000 else { return Int(limit) }
    return max(1, Int(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}
