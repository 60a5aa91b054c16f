package import SondeSystem

/// An open input whose text is decompressed and converted from UTF-16 as needed.
package final class InputFile: ByteSource {
  private let descriptor: InputDescriptor
  private var source: any ByteSource
  /// The first bytes, until the content is recognised.
  private var beginning: [UInt8]? = []
  private var isAtEnd = false
  private var packing: Compression?
  /// The number of text bytes delivered.
  private var given: UInt64 = 0

  /// The size of a regular file on disk in bytes.
  package var size: UInt64? { descriptor.size }

  /// The bytes read from the disk or pipe, before decompression.
  package var taken: SlicedChecksum { descriptor.taken }

  /// Whether it is compressed, once known.
  package var isCompressed: Bool { packing != nil }

  /// Whether it is UTF-16, once known.
  package private(set) var isUTF16 = false

  /// Whether it is a packet capture, once known; its bytes are delivered unchanged.
  package private(set) var isCapture = false

  /// Whether its text equals its bytes on disk, once known.
  package var isPlain: Bool { !isCompressed && !isUTF16 }

  private let captures: CaptureRule

  /// The limit of decompressed text in bytes.
  private let longestUnpacked: UInt64

  /// Creates an input from an open file.
  package init(
    _ file: OpenFile,
    name: String,
    captures: CaptureRule = .refused,
    longestUnpacked: UInt64 = .max
  ) {
    descriptor = InputDescriptor(file, name: name)
    (self.captures, self.longestUnpacked) = (captures, longestUnpacked)
    source = descriptor
  }

  /// Opens an input.
  package convenience init(_ input: Input) throws(InputError) {
    self.init(try OpenFile(input), name: input.name)
  }

  /// Whether it is an uncompressed regular text file.
  package var isPlainFile: Bool { captures != .insisted && descriptor.isPlainFile }

  /// Whether it is an uncompressed regular file with a capture.
  package var isPlainCapture: Bool { descriptor.content.map(isCapture) ?? false }

  /// Whether it is a regular file with a database.
  package var isPlainDatabase: Bool {
    captures != .insisted && descriptor.content == .foreign(.database)
  }

  /// The offset from the start of reading that the text has reached; estimated if compressed.
  ///
  /// The last `unused` bytes of text do not count.
  package func position(unused: Int) -> UInt64 {
    guard given > 0 else { return 0 }
    let waiting = UInt64(clamping: (source as? DecodedSource)?.waiting ?? 0)
    let used = given - min(given, UInt64(clamping: unused))
    return UInt64(Double(taken.count - min(taken.count, waiting)) * Double(used) / Double(given))
  }

  package func read(into buffer: inout [UInt8], atMost count: Int, _ wait: ByteWait) -> Fill {
    guard var beginning else {
      let start = buffer.count
      let fill = source.read(into: &buffer, atMost: count, wait)
      given += UInt64(buffer.count - start)
      guard packing == nil || given <= longestUnpacked else {
        let reason = "unpacks to more than \(longestUnpacked) bytes, which is not read"
        return .failure(InputError(name: name, reason: reason))
      }
      return fill
    }
    self.beginning = []
    let fill = isAtEnd ? .end : source.read(into: &beginning, atMost: count, wait)
    self.beginning = beginning
    switch fill {
    case .failure: return fill
    case .end: isAtEnd = true
    case .more, .silence, .interrupted: break
    }
    let first = Array(beginning.prefix(Content.longestSignature))
    guard let content = Content.judge(first, isWhole: isAtEnd) else { return fill }
    return turn(to: content, beginning, into: &buffer)
  }

  /// Reads the first bytes of text, or of the capture, until the content is known.
  ///
  /// Returns the result of the last read.
  package func recognize(into buffer: inout [UInt8], interruptedBy interrupt: WakePipe) -> Fill {
    while true {
      let fill = read(into: &buffer, atMost: 64 << 10, ByteWait(interrupt))
      guard case .more = fill, beginning != nil else { return fill }
    }
  }

  private func isCapture(_ content: Content) -> Bool {
    switch (content, captures) {
    case (.compressed, _), (_, .refused): false
    case (.foreign(let format), .recognized): format.isCapture
    case (_, .recognized): false
    case (_, .insisted): true
    }
  }

  /// Continues with the recognised content.
  private func turn(to content: Content, _ bytes: [UInt8], into buffer: inout [UInt8]) -> Fill {
    isCapture = isCapture(content)
    switch isCapture ? .text : content {
    case .text:
      beginning = nil
      buffer += bytes
      given += UInt64(bytes.count)
      return isAtEnd ? .end : .more
    case .foreign(let format):
      return .failure(InputError(name: name, reason: format.reason(for: name)))
    case .compressed(let format):
      guard packing == nil else {
        return .failure(InputError(name: name, reason: "is compressed twice: unpack it first"))
      }
      packing = format
      return decode(bytes, incomplete: .cutShort) { () throws(DecoderError) in
        try format.decoder()
      }
    case .utf16(let isBigEndian):
      isUTF16 = true
      let fill = decode(Array(bytes.dropFirst(2)), incomplete: .halfCharacter) {
        UTF16Decoder(isBigEndian: isBigEndian)
      }
      beginning = nil
      return fill
    }
  }

  private func decode(
    _ bytes: [UInt8],
    incomplete: DecoderError,
    with decoder: () throws(DecoderError) -> any Decoder
  ) -> Fill {
    do throws(DecoderError) {
      source = DecodedSource(
        source,
        beginning: bytes,
        isAtEnd: isAtEnd,
        decoder: try decoder(),
        incomplete: incomplete,
        name: name
      )
      (beginning, isAtEnd) = ([], false)
      return .more
    } catch {
      return .failure(InputError(name: name, error))
    }
  }

  private var name: String { descriptor.name }
}
