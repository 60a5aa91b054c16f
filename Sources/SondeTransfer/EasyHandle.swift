internal import CSondeCurl
import Glibc

/// A `CURL`: one transfer at a time, and the buffers of its answer.
///
/// Thread contract (libcurl-thread(3)): a handle may be used by one thread at a time; this one is
/// only used on its client's own thread.
@safe final class EasyHandle {
  let handle: UnsafeMutableRawPointer

  /// The set that contains it while a request is running.
  var multi: MultiHandle?

  let curl: UnsafePointer<sonde_curl>
  let errorText: UnsafeMutablePointer<CChar>
  var headerList: UnsafeMutablePointer<curl_slist>?
  /// Whether libcurl refused an option since this was last reset.
  var settingFailed = false
  let proxies: ProxyRules
  let sockets: OpenSockets
  /// The proxy of the running request; `nil` if it goes directly to the host.
  var proxy: Proxy?

  var exchange: SubmittedRequest?
  var answer = ReceivedAnswer()

  /// How often libcurl was about to write the request; the second time is refused.
  var sends = 0

  /// ``HTTPClient/Configuration/permitsAddress``, and whether it refused an address.
  let permitsAddress: (@Sendable ([UInt8]) -> Bool)?
  var isAddressRefused = false

  /// Creates a handle and sets the options common to all requests of a client.
  ///
  /// `sockets` records the sockets it opens, which may outlive it. Throws if libcurl cannot be
  /// loaded, or lacks memory or a required feature.
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
    permitsAddress = configuration.permitsAddress
    self.sockets = sockets
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    setTransport()
    set(CURLOPT_USERAGENT, configuration.userAgent)
    setTrust(configuration.authorities)
    // The rules already include the environment's exceptions; empty, they are not read again.
    set(CURLOPT_NOPROXY, "")
    setCallbacks()
    if settingFailed { throw TransferError(.misconfigured("libcurl lacks a needed feature")) }
  }

  deinit {
    unsafe curl.pointee.curl_easy_cleanup(handle)
    unsafe curl.pointee.curl_slist_free_all(headerList)
    unsafe errorText.deallocate()
  }

  /// The Swift object of a `CURL` in a ``MultiHandle``.
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
    // No signals: this is not the main thread. Quick exit: otherwise ending a transfer during
    // name resolution would wait for the name server.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    // A redirect instead of data means a login page or a wrong URL; following it could send a
    // token to another host. The caller receives the 3xx.
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // All compressions that libcurl was built with.
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

  /// Sets an option; a refusal is recorded in ``settingFailed``.
  func set(_ option: CURLoption, _ value: Int) {
    check(unsafe sonde_curl_set_long(curl, handle, option, value))
  }

  func set(_ option: CURLoption, _ text: String) {
    check(unsafe sonde_curl_set_text(curl, handle, option, text))
  }

  func check(_ code: CURLcode) { if code != CURLE_OK { settingFailed = true } }
}
