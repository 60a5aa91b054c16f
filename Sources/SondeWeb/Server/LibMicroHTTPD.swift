import SondeSystem

internal import CSondeMicroHTTPD
internal import SondeSystem

/// libmicrohttpd's functions, loaded when the first server is made.
enum LibMicroHTTPD {
  // Never written again once they are loaded. Which thread may call what with a connection is said at
  // `ConnectionHandle`.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_mhd> in
    let library = DynamicLibrary("libmicrohttpd.so.12", package: "libmicrohttpd12")
    return unsafe try library.load(sonde_mhd_names(), as: sonde_mhd.self)
  }

  /// The functions.
  /// - Throws: `LibraryError` where the library cannot be loaded.
  static func functions() throws(LibraryError) -> UnsafePointer<sonde_mhd> {
    unsafe try loaded.get()
  }

  /// Whether it may report less of a header than came: see ``HeaderLayout``.
  static let mayCutHeaders: Bool = {
    guard let mhd = unsafe try? functions(), let version = unsafe mhd.pointee.MHD_get_version()
    else { return false }
    return unsafe String(cString: version).hasPrefix("0.")
  }()
}

/// A `struct MHD_Connection`, as long as its request lasts.
///
/// Unchecked: only libmicrohttpd's own thread reads it and suspends it; any thread may resume it
/// (`MHD_resume_connection`), which the owner of this does only while it is suspended, and so there.
@safe struct ConnectionHandle: @unchecked Sendable {
  let mhd: UnsafePointer<sonde_mhd>
  let pointer: OpaquePointer

  /// Stops reading from and writing to it.
  ///
  /// On libmicrohttpd's thread.
  func suspend() { unsafe mhd.pointee.MHD_suspend_connection(pointer) }

  /// Has libmicrohttpd call back for it again.
  ///
  /// On any thread, once for each time it is suspended.
  func resume() { unsafe mhd.pointee.MHD_resume_connection(pointer) }
}
