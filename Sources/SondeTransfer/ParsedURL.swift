internal import CSondeCurl

/// A `CURLU`, used and freed by the thread that made it (libcurl-url(3)).
@safe struct ParsedURL: ~Copyable {
  private let curl: UnsafePointer<sonde_curl>
  private let handle: OpaquePointer

  /// Parses a URL with a scheme: that of a request, or any, such as a SOCKS proxy's.
  ///
  /// Throws if libcurl cannot be loaded.
  init?(_ url: String, allowsAnyScheme: Bool = false) throws(TransferError) {
    let curl = unsafe try LibCurl.functions()
    // A zero byte would end the text early in C.
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }),
      let handle = unsafe curl.pointee.curl_url()
    else { return nil }
    let flags = allowsAnyScheme ? UInt32(CURLU_NON_SUPPORT_SCHEME) : 0
    guard unsafe curl.pointee.curl_url_set(handle, CURLUPART_URL, url, flags) == CURLUE_OK else {
      unsafe curl.pointee.curl_url_cleanup(handle)
      return nil
    }
    unsafe (self.curl, self.handle) = (curl, handle)
  }

  /// Resolves a reference (RFC 3986 §5) on a page with this URL; returns whether it is valid.
  mutating func follow(_ reference: String) -> Bool {
    guard reference.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return false }
    return unsafe curl.pointee.curl_url_set(handle, CURLUPART_URL, reference, 0) == CURLUE_OK
  }

  /// A component of the URL, not decoded; `nil` if it has none.
  func component(_ component: CURLUPart, orDefaultPort: Bool = false) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let flags = orDefaultPort ? UInt32(CURLU_DEFAULT_PORT) : 0
    guard unsafe curl.pointee.curl_url_get(handle, component, &text, flags) == CURLUE_OK,
      let text = unsafe text
    else { return nil }
    defer { unsafe curl.pointee.curl_free(text) }
    return unsafe String(cString: text)
  }

  deinit { unsafe curl.pointee.curl_url_cleanup(handle) }
}
