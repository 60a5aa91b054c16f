internal import CSondeMicroHTTPD

extension Daemon {
  /// Passes an answer to libmicrohttpd, on its thread.
  func queue(_ response: Response, to pointer: OpaquePointer) -> MHD_Result {
    var headers = response.headers
    safety.complete(&headers)
    guard let answer = unsafe answer(response.body, pointer) else { return .NO }
    defer { unsafe mhd.pointee.MHD_destroy_response(answer) }
    for (name, value) in headers.fields {
      // Invalid headers are skipped.
      unsafe _ = mhd.pointee.MHD_add_response_header(answer, name, value)
    }
    return unsafe mhd.pointee.MHD_queue_response(pointer, UInt32(clamping: response.status), answer)
  }

  private func answer(_ body: Response.Body, _ pointer: OpaquePointer) -> OpaquePointer? {
    switch body {
    case .bytes(let bytes):
      // libmicrohttpd copies them.
      var bytes = bytes
      return unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe mhd.pointee.MHD_create_response_from_buffer(
          bytes.count,
          bytes.baseAddress,
          .RESPMEM_MUST_COPY
        )
      }
    case .channel(let channel):
      let handle = unsafe ConnectionHandle(mhd: mhd, pointer: pointer)
      let reader = unsafe Unmanaged.passRetained(ChannelReader(channel, handle)).toOpaque()
      let answer = unsafe mhd.pointee.MHD_create_response_from_callback(
        sonde_mhd_unknown_size(),
        ByteChannel.room,
        readChannel,
        reader,
        dropChannel
      )
      if unsafe answer == nil { unsafe dropChannel(reader) }
      return unsafe answer
    // Converted to a channel before it is queued.
    case .stream: return nil
    }
  }
}

/// Retained by an answer until libmicrohttpd destroys it.
private final class ChannelReader {
  let channel: ByteChannel
  let handle: ConnectionHandle
  init(_ channel: ByteChannel, _ handle: ConnectionHandle) {
    (self.channel, self.handle) = (channel, handle)
  }
}

/// MHD_ContentReaderCallback.
private func readChannel(
  _ context: UnsafeMutableRawPointer?,
  _: UInt64,
  _ bytes: UnsafeMutablePointer<CChar>?,
  _ count: Int
) -> Int {
  guard let context = unsafe context, let bytes = unsafe bytes else { return sonde_mhd_failure() }
  let reader = unsafe Unmanaged<ChannelReader>.fromOpaque(context).takeUnretainedValue()
  let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count)
  switch unsafe reader.channel.read(into: buffer, suspending: reader.handle) {
  case .bytes(let count): return count
  case .suspended: return 0
  case .finished: return sonde_mhd_end()
  case .cut: return sonde_mhd_failure()
  }
}

/// MHD_ContentReaderFreeCallback.
private func dropChannel(_ context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  unsafe Unmanaged<ChannelReader>.fromOpaque(context).takeRetainedValue().channel.close()
}
