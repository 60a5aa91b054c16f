import SondeSystem

internal import CSondeCurl
internal import SondeSystem

/// libcurl's functions, loaded when the first of them is needed.
enum LibCurl {
  // Never written again once they are loaded; each is used by the rule of its handle (libcurl-thread(3)).
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_curl> in
    let library = DynamicLibrary("libcurl.so.4", package: "libcurl4")
    return unsafe try library.load(sonde_curl_names(), as: sonde_curl.self)
  }

  /// Whether `curl_global_init(3)`, called once in the life of the process, has succeeded.
  private static let isStarted =
    unsafe (try? functions())?.pointee.curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// The functions.
  /// - Throws: ``TransferError`` with `misconfigured` where libcurl cannot be loaded.
  static func functions() throws(TransferError) -> UnsafePointer<sonde_curl> {
    do throws(LibraryError) {
      return unsafe try loaded.get()
    } catch {
      throw TransferError(.misconfigured("\(error)"))
    }
  }

  /// Makes libcurl ready for transfers.
  /// - Throws: ``TransferError`` with `misconfigured` where it cannot be loaded or started.
  static func start() throws(TransferError) {
    _ = unsafe try functions()
    guard isStarted else { throw TransferError(.misconfigured("libcurl could not be started")) }
  }

  /// libcurl's words for a result.
  static func words(of code: CURLcode) -> String {
    guard let words = unsafe (try? functions())?.pointee.curl_easy_strerror(code) else {
      return "error \(code.rawValue)"
    }
    return unsafe String(cString: words)
  }
}
