import Glibc
import SondeAddresses
import SondeInputs
import SondePcap
import SondeSystem

/// A capture cut into slices, each with the addresses of packets that follow one another.
final class PacketSlices {
  /// Packets that are read at a time.
  private static let sliceSize = 16_384
  /// Bytes that are read at a time where libpcap does not read them itself.
  private static let chunkSize = 512 << 10

  private enum Source {
    case file(CaptureFile, OpenFile)
    case stream(CaptureDecoder, InputFile)
  }

  private let source: Source
  private let name: String
  private let rule: PacketRule
  private var packets: [CapturedPacket] = []
  private var chunk: [UInt8]
  private var first: Fill?

  /// Whether there has been any packet.
  private(set) var hasPackets = false

  /// Makes slices of a regular file, which libpcap reads itself.
  init(_ file: OpenFile, name: String, rule: PacketRule) throws(InputError) {
    do throws(CaptureError) {
      source = .file(try CaptureFile(descriptor: file.descriptor), file)
    } catch {
      throw InputError(name: name, error)
    }
    (self.name, self.rule, chunk) = (name, rule, [])
  }

  /// Makes slices of anything else.
  ///
  /// - Parameters:
  ///   - file: Where the bytes come from.
  ///   - name: The input's name, for messages.
  ///   - beginning: What has been read of it.
  ///   - fill: What came of that.
  ///   - rule: What becomes of the packets.
  /// - Throws: ``InputError`` when there can be no thread.
  init(
    _ file: InputFile,
    name: String,
    beginning: [UInt8],
    _ fill: Fill,
    rule: PacketRule
  ) throws(InputError) {
    do throws(CaptureError) {
      source = .stream(try CaptureDecoder(), file)
    } catch {
      throw InputError(name: name, error)
    }
    (self.name, self.rule, chunk, first) = (name, rule, beginning, fill)
  }

  /// How far the reading is, in bytes of the input as it lies on the disk, and what of it a journal has
  /// to know.
  var progress: (position: UInt64, taken: LogSource.Taken) {
    switch source {
    case .file(_, let file):
      (UInt64(clamping: lseek(file.descriptor, 0, SEEK_CUR) - file.start), .none)
    case .stream(_, let file): (file.position(unused: 0), .all(file.taken))
    }
  }

  /// Waits for packets.
  ///
  /// - Parameters:
  ///   - slice: Where their addresses are put.
  ///   - interrupt: What ends waiting early.
  /// - Returns: Whether the capture ends with them, and why if not as it should.
  /// - Throws: `CancellationError` when the wait was ended.
  func read(
    into slice: inout LogSlice,
    interruptedBy interrupt: WakePipe
  ) throws(CancellationError) -> (isLast: Bool, failure: InputError?) {
    while true {
      let (isLast, failure) = try readPackets(interruptedBy: interrupt)
      hasPackets = hasPackets || !packets.isEmpty
      var addresses: [Address] = []
      if case .counted(let traffic, let input) = rule { traffic.count(packets, ofInput: input) }
      if case .held(let holding) = rule {
        holding.take(packets)
        if isLast { (addresses, slice.duplicates) = holding.finish() }
      } else {
        addresses.reserveCapacity(2 * packets.count)
        for packet in packets {
          packet.appendAddresses(to: &addresses)
          while slice.times.count < addresses.count { slice.times.append(packet.time / 1_000_000) }
        }
      }
      packets.removeAll(keepingCapacity: true)
      guard isLast || !addresses.isEmpty else { continue }
      slice.captured = addresses
      return (isLast, failure)
    }
  }

  private func readPackets(
    interruptedBy interrupt: WakePipe
  ) throws(CancellationError) -> (isLast: Bool, failure: InputError?) {
    switch source {
    case .file(let capture, _):
      do throws(CaptureError) {
        return (try !capture.read(into: &packets, limit: Self.sliceSize), nil)
      } catch {
        return (true, InputError(name: name, error))
      }
    case .stream(let decoder, let file):
      let fill =
        first
        ?? file.read(
          into: &chunk,
          atMost: Self.chunkSize,
          until: nil,
          interruptedBy: interrupt
        )
      first = nil
      if case .interrupted = fill { throw CancellationError() }
      let (isEnd, failure) = fill.end
      let (found, error) = decoder.decode(chunk, isLast: isEnd)
      chunk.removeAll(keepingCapacity: true)
      packets += found
      // That the bytes ended says less than why.
      return (isEnd || error != nil, failure ?? error.map { InputError(name: name, $0) })
    }
  }
}

extension Fill {
  /// Whether nothing more comes, and why if not as it should.
  fileprivate var end: (isEnd: Bool, failure: InputError?) {
    switch self {
    case .more, .silence, .interrupted: (false, nil)
    case .end: (true, nil)
    case .failure(let failure): (true, failure)
    }
  }
}
