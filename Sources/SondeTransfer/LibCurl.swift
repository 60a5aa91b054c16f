internal import CSondeCurl
internal import SondeSystem

/// libcurl's functions, loaded on first use.
enum LibCurl {
  // Never written after loading; each function is used by the rules of its handle
  // (libcurl-thread(3)).
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_curl> in
    let library = DynamicLibrary("libcurl.so.4", package: "libcurl4")
    return unsafe try library.load(sonde_curl_names(), as: sonde_curl.self)
  }

  /// Whether `curl_global_init(3)`, called once per process, has succeeded.
  private static let isStarted =
    unsafe (try? functions())?.pointee.curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// The functions; throws `misconfigured` if libcurl cannot be loaded.
  static func functions() throws(TransferError) -> UnsafePointer<sonde_curl> {
    do throws(LibraryError) {
      return unsafe try loaded.get()
    } catch {
      throw TransferError(.misconfigured("\(error)"))
    }
  }

  /// Initialises libcurl; throws `misconfigured` if it cannot be loaded or started.
  static func start() throws(TransferError) {
    _ = unsafe try functions()
    guard isStarted else { throw TransferError(.misconfigured("libcurl could not be started")) }
  }

  /// libcurl's message for a result.
  static func words(of code: CURLcode) -> String {
    guard let words = unsafe (try? functions())?.pointee.curl_easy_strerror(code) else {
      return "error \(code.rawValue)"
    }
    return unsafe String(cString: words)
  }
}
