internal import CCurl

extension EasyHandle {
  /// The answer, or why there is none; the buffers are handed over.
  func outcome(_ code: CURLcode) -> Result<Response, any Error> {
    guard code != CURLE_OK else { return .success(response()) }
    let end = end(code)
    guard let exchange else { return .failure(TransferError(end.reason)) }
    return .failure(exchange.error(end.reason, phase: end.phase, through: proxy))
  }

  /// How far the exchange has come.
  var phase: TransferError.Phase { end(CURLE_OK).phase }

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

  private func end(_ code: CURLcode) -> TransferEnd {
    TransferEnd(
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
  var announcedLength: Int {
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
