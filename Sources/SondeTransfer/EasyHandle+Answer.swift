internal import CSondeCurl
import SondeSystem

// MARK: - While it comes

/// CURLOPT_WRITEFUNCTION(3).
func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?,
  _ size: Int,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  unsafe receive(bytes, size * count, context) { easy, chunk in
    if let file = easy.exchange?.request.destination {
      return easy.answer.append(chunk, to: file, isWanted: easy.status == 200)
    }
    return easy.answer.appendBody(chunk, expecting: easy.announcedLength)
  }
}

/// CURLOPT_HEADERFUNCTION(3): called with one whole line.
func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?,
  _ size: Int,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  unsafe receive(bytes, size * count, context) { easy, line in easy.answer.appendHeader(line) }
}

/// Appends received bytes to the answer of their handle; returns fewer to end the transfer.
private func receive(
  _ bytes: UnsafeMutablePointer<CChar>?,
  _ count: Int,
  _ context: UnsafeMutableRawPointer?,
  append: (EasyHandle, RawSpan) -> Bool
) -> Int {
  guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
  let easy = unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
  return unsafe append(easy, buffer.bytes) ? count : 0
}

/// The answer received so far, and its limits.
struct ReceivedAnswer {
  /// The largest header section accepted, in bytes; typical ones have about one thousand.
  static let maximumHeader = 256 << 10

  /// The most memory reserved for a length announced in the header, in bytes.
  static let maximumReserve = 1 << 20

  /// The largest body accepted, in bytes.
  var limit = 0

  /// Whether the answer exceeded its limits.
  private(set) var isTooLarge = false

  /// Why its body could not be written to the file that it was for.
  private(set) var writeError: SystemError?

  var hasBegun: Bool { !header.isEmpty }

  /// Whether the header section is complete (RFC 9112 §2.1); its lines may end with LF alone (§2.2).
  var hasWholeHeader: Bool {
    let rest = header.last == 0x0a ? header.dropLast() : []
    return (rest.last == 0x0d ? rest.dropLast() : rest).last == 0x0a
  }

  private var header: [UInt8] = []
  private var body: [UInt8] = []
  /// The number of bytes of a body that goes to a file, or is left out.
  private var passed = 0

  init(limit: Int = 0) { self.limit = limit }

  /// Adds one line of a header section; returns whether it is within the limit.
  ///
  /// A status line starts it again, since an interim answer (RFC 9110 §15.2) may come first.
  mutating func appendHeader(_ line: RawSpan) -> Bool {
    if line.isStatusLine { header.removeAll(keepingCapacity: true) }
    guard header.count + line.byteCount <= ReceivedAnswer.maximumHeader else {
      isTooLarge = true
      return false
    }
    if header.capacity == 0 { header.reserveCapacity(512) }
    unsafe line.withUnsafeBytes { bytes in unsafe header.append(contentsOf: bytes) }
    return true
  }

  /// Adds a chunk with one copy and keeps spare capacity for a parser; false beyond the limit.
  mutating func appendBody(_ chunk: RawSpan, expecting length: @autoclosure () -> Int) -> Bool {
    let needed = body.count + chunk.byteCount
    guard needed <= limit else {
      isTooLarge = true
      return false
    }
    if body.capacity < needed + Response.padding {
      let hint = body.isEmpty ? min(length(), ReceivedAnswer.maximumReserve) : body.capacity * 2
      body.reserveCapacity(max(needed, hint) + Response.padding)
    }
    unsafe chunk.withUnsafeBytes { bytes in unsafe body.append(contentsOf: bytes) }
    return true
  }

  /// Writes a chunk to a file, if it is wanted; false beyond the limit, or if that fails.
  mutating func append(_ chunk: RawSpan, to file: Descriptor, isWanted: Bool) -> Bool {
    passed += chunk.byteCount
    guard passed <= limit else {
      isTooLarge = true
      return false
    }
    guard isWanted else { return true }
    do throws(SystemError) {
      try file.write(unsafe chunk.withUnsafeBytes { bytes in unsafe Array(bytes) })
      return true
    } catch {
      writeError = error
      return false
    }
  }

  /// Returns the received data without a copy, and resets the answer.
  mutating func take() -> (header: [UInt8], body: [UInt8]) {
    defer { self = ReceivedAnswer() }
    return (header, body)
  }
}

extension RawSpan {
  fileprivate var isStatusLine: Bool {
    guard byteCount >= 5 else { return false }
    return unsafe withUnsafeBytes { bytes in unsafe bytes.prefix(5).elementsEqual("HTTP/".utf8) }
  }
}

// MARK: - When it is there

extension EasyHandle {
  /// The answer, or the error; takes the buffers.
  func outcome(_ code: CURLcode) -> Result<Response, any Error> {
    guard code != CURLE_OK, !isUsable else { return .success(response()) }
    let end = end(code)
    guard let exchange else { return .failure(TransferError(end.reason)) }
    return .failure(exchange.error(end.reason, phase: end.phase, through: proxy))
  }

  var phase: TransferError.Phase { end(CURLE_OK).phase }

  /// The status of the answer, once its header is there.
  var status: Int { number(CURLINFO_RESPONSE_CODE) }

  /// Whether an answer without its whole body is accepted; an interim one is not (RFC 9110 §15.2).
  private var isUsable: Bool {
    exchange?.request.acceptsPartialBody == true && answer.hasWholeHeader
      && status >= 200
  }

  private func response() -> Response {
    let (header, body) = answer.take()
    return Response(
      status: status,
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
      isAddressRefused: isAddressRefused,
      isConnected: number(CURLINFO_NUM_CONNECTS) > 0,
      isSent: sends > 0,
      hasAnswer: answer.hasBegun,
      proxyStatus: number(CURLINFO_HTTP_CONNECTCODE),
      isTooLarge: answer.isTooLarge,
      writeError: answer.writeError,
      detail: unsafe printable(String(cString: errorText))
    )
  }

  /// The body's length by its header, before decompression; 0 if unknown.
  var announcedLength: Int { max(0, Int(long(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T))) }

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

  /// Removes control characters, because the names in a certificate come from the server.
  private func printable(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.value >= 0x20 && $0.value < 0x7f ? Character($0) : "?" })
  }
}
