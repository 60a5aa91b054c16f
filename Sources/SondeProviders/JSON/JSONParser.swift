import CSondeSimdJSON
import Synchronization

/// The reason why a text is not JSON.
struct JSONError: Error, Equatable {
  /// simdjson's message.
  let reason: String
}

/// One simdjson parser with its buffers.
///
/// Unchecked: a parser may be used by one thread at a time (simdjson, "Thread safety"), and the
/// pool below, its only owner, lends it to one caller at a time.
@safe private final class JSONParser: @unchecked Sendable {
  private let handle: OpaquePointer

  init() throws(JSONError) {
    guard let handle = unsafe sonde_json_parser_new() else { throw JSONParser.outOfMemory }
    unsafe self.handle = handle
  }

  deinit { unsafe sonde_json_parser_free(handle) }

  private static let outOfMemory = JSONError(reason: "out of memory")

  func parse(_ body: [UInt8]) throws(JSONError) -> JSONDocument {
    // A shared array would be copied, too.
    var padded = body
    if body.capacity < body.count + JSONDocument.padding {
      padded.reserveCapacity(body.count + JSONDocument.padding)
    }
    let failure = unsafe padded.withUnsafeBufferPointer { bytes in
      unsafe sonde_json_parse(handle, bytes.baseAddress, bytes.count)
    }
    if let failure = unsafe failure { throw JSONError(reason: unsafe String(cString: failure)) }
    var count = 0
    let tape = unsafe UnsafeBufferPointer(start: sonde_json_tape(handle, &count), count: count)
    var size = 0
    let first = unsafe sonde_json_strings(handle, &size)
    let strings = unsafe UnsafeBufferPointer(start: first, count: size)
    return unsafe JSONDocument(
      tape: tape,
      strings: strings,
      mayHoldControls: sonde_json_may_hold_controls(handle)
    )
  }
}

extension JSONDocument {
  private static let idleParsers = Mutex<[JSONParser]>([])

  /// The largest text whose parser is kept, in bytes; its buffers are many times larger.
  private static let largestKept = 1 << 20

  /// Parses a document (RFC 8259); fails if it is not JSON, not UTF-8 or nested too deeply.
  init(parsing body: [UInt8]) throws(JSONError) {
    let parser: JSONParser
    if let idle = JSONDocument.idleParsers.withLock({ $0.popLast() }) {
      parser = idle
    } else {
      parser = try JSONParser()
    }
    self = try parser.parse(body)
    guard body.count <= Self.largestKept else { return }
    JSONDocument.idleParsers.withLock { $0.append(parser) }
  }
}
