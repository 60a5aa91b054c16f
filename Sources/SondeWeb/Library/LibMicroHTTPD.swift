internal import CSondeMicroHTTPD
import SondeSystem

/// libmicrohttpd's functions, loaded with the first server.
enum LibMicroHTTPD {
  // Never written after loading. `ConnectionHandle` documents which thread may call what.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_mhd> in
    let library = DynamicLibrary("libmicrohttpd.so.12", package: "libmicrohttpd12")
    return unsafe try library.load(sonde_mhd_names(), as: sonde_mhd.self)
  }

  /// Throws if the library cannot be loaded.
  static func functions() throws(LibraryError) -> UnsafePointer<sonde_mhd> {
    unsafe try loaded.get()
  }

  /// Whether it may report an incomplete header: see ``HeaderLayout``.
  static let mayCutHeaders: Bool = {
    guard let mhd = unsafe try? functions(), let version = unsafe mhd.pointee.MHD_get_version()
    else { return false }
    return unsafe String(cString: version).hasPrefix("0.")
  }()
}

/// A `struct MHD_Connection`, valid during its request.
///
/// Unchecked: only libmicrohttpd's own thread reads and suspends it; any thread may resume it
/// (`MHD_resume_connection`), which the owner only does while it is suspended and so still exists.
@safe struct ConnectionHandle: @unchecked Sendable {
  let mhd: UnsafePointer<sonde_mhd>
  let pointer: OpaquePointer

  /// Suspends reading and writing; on libmicrohttpd's thread.
  func suspend() { unsafe mhd.pointee.MHD_suspend_connection(pointer) }

  /// Makes libmicrohttpd call back for it again; on any thread, once per suspension.
  func resume() { unsafe mhd.pointee.MHD_resume_connection(pointer) }
}
