internal import CSondeCurl

/// A `CURLM`: a set of transfers with their connections and resolved names.
///
/// Thread contract (libcurl-thread(3), curl_multi_wakeup(3)): one thread creates, uses and frees
/// it; other threads may only call ``Alarm/ring()``, while the handle exists.
@safe final class MultiHandle {
  /// Wakes the thread that polls a handle.
  @safe struct Alarm: Sendable {
    // Never written; curl_multi_wakeup(3) may be called from any thread.
    fileprivate nonisolated(unsafe) let curl: UnsafePointer<sonde_curl>
    fileprivate nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    func ring() {
      // It fails only if the wake-up pipe is full, and then the thread is about to wake anyway.
      _ = unsafe curl.pointee.curl_multi_wakeup(handle)
    }
  }

  private let curl: UnsafePointer<sonde_curl>
  private let handle: UnsafeMutableRawPointer

  /// The open sockets of its connections, which are closed at the latest with it.
  private let sockets: OpenSockets
  private(set) var count = 0

  /// Whether it has ever had a transfer, and so may have connections.
  private(set) var isUsed = false

  /// Makes an empty set; throws without libcurl, or if it is out of memory or descriptors.
  init(
    _ configuration: HTTPClient.Configuration,
    noting sockets: OpenSockets
  ) throws(TransferError) {
    let curl = unsafe try LibCurl.functions()
    guard let handle = unsafe curl.pointee.curl_multi_init() else {
      throw TransferError(.misconfigured("libcurl could not be started"))
    }
    unsafe (self.curl, self.handle) = (curl, handle)
    self.sockets = sockets
    let limit = max(1, configuration.maximumConnections)
    // The pool keeps idle connections to several hosts; its default shrinks with the running
    // transfers and would close connections that are needed again soon.
    for (option, value) in [
      (CURLMOPT_MAX_HOST_CONNECTIONS, limit), (CURLMOPT_MAXCONNECTS, limit * 4),
    ] {
      guard unsafe sonde_curl_multi_set_long(curl, handle, option, value) == CURLM_OK else {
        throw TransferError(.misconfigured("libcurl refused its limits"))
      }
    }
  }

  deinit { _ = unsafe curl.pointee.curl_multi_cleanup(handle) }

  var alarm: Alarm { unsafe Alarm(curl: curl, handle: handle) }

  func add(_ easy: EasyHandle) -> Bool {
    guard unsafe curl.pointee.curl_multi_add_handle(handle, easy.handle) == CURLM_OK else {
      return false
    }
    easy.multi = self
    count += 1
    isUsed = true
    return true
  }

  /// Removes a transfer; if it is running, its connection is closed.
  func remove(_ easy: EasyHandle) {
    _ = unsafe curl.pointee.curl_multi_remove_handle(handle, easy.handle)
    easy.multi = nil
    count -= 1
  }

  /// Advances all transfers as far as possible without waiting.
  func perform() -> Bool {
    var running: Int32 = 0
    return unsafe curl.pointee.curl_multi_perform(handle, &running) == CURLM_OK
  }

  /// Waits until a transfer can advance, the alarm rings or the time is over.
  func poll(milliseconds: Int32) -> Bool {
    unsafe curl.pointee.curl_multi_poll(handle, nil, 0, milliseconds, nil) == CURLM_OK
  }

  /// The next finished transfer, still in the set, and its result.
  func nextFinished() -> (easy: EasyHandle, code: CURLcode)? {
    var left: Int32 = 0
    while let message = unsafe curl.pointee.curl_multi_info_read(handle, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      // Removing the transfer frees the message, so read it first.
      let code = unsafe message.pointee.data.result
      if let easy = unsafe EasyHandle.owner(of: message.pointee.easy_handle, by: curl) {
        return (easy, code)
      }
    }
    return nil
  }
}
