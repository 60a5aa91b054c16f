import Glibc
import SondeInputs
import SondePcap
import SondeRecords
import SondeSystem

/// A capture divided into slices, with the addresses of consecutive packets.
final class PacketSlices {
  /// The number of packets per read.
  private static let sliceSize = 16_384
  /// The number of bytes per read, if libpcap does not read the file itself.
  private static let chunkSize = 512 << 10

  private enum Source {
    case file(CaptureFile, OpenFile)
    case stream(CaptureDecoder, InputFile)
  }

  private let source: Source
  private let name: String
  private let pick: Pick
  private var packets: [CapturedPacket] = []
  private var chunk: [UInt8]
  private var first: Fill?

  /// Whether there was any packet.
  private(set) var hasPackets = false

  /// Creates slices of a regular file, which libpcap reads itself.
  init(_ file: OpenFile, name: String, pick: Pick) throws(InputError) {
    do throws(CaptureError) {
      source = .file(try CaptureFile(descriptor: file.descriptor), file)
    } catch {
      throw InputError(name: name, error)
    }
    (self.name, self.pick, chunk) = (name, pick, [])
  }

  /// Creates slices of any other input, whose `beginning` was read with the result `fill`.
  init(
    _ file: InputFile,
    name: String,
    beginning: [UInt8],
    _ fill: Fill,
    pick: Pick
  ) throws(InputError) {
    do throws(CaptureError) {
      source = .stream(try CaptureDecoder(), file)
    } catch {
      throw InputError(name: name, error)
    }
    (self.name, self.pick, chunk, first) = (name, pick, beginning, fill)
  }

  /// The position in the input on disk, and the bytes read for a journal.
  var progress: (position: UInt64, taken: LogSource.Taken) {
    switch source {
    case .file(_, let file):
      (UInt64(clamping: lseek(file.descriptor, 0, SEEK_CUR) - file.start), .none)
    case .stream(_, let file): (file.position(unused: 0), .all(file.taken))
    }
  }

  /// Waits for packets; returns whether the capture ends, and why if that is unexpected.
  ///
  /// Throws `CancellationError` if the wait was ended.
  func read(
    into slice: inout LogSlice,
    interruptedBy interrupt: WakePipe
  ) throws(CancellationError) -> (isLast: Bool, failure: InputError?) {
    while true {
      let (isLast, failure) = try readPackets(interruptedBy: interrupt)
      hasPackets = hasPackets || !packets.isEmpty
      var captured = CapturedAddresses()
      captured.append(packets, pick)
      packets.removeAll(keepingCapacity: true)
      guard isLast || !captured.addresses.isEmpty else { continue }
      slice.captured = captured
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
      let wait = ByteWait(interrupt)
      let fill = first ?? file.read(into: &chunk, atMost: Self.chunkSize, wait)
      first = nil
      if case .interrupted = fill { throw CancellationError() }
      let failure: InputError? = if case .failure(let failure) = fill { failure } else { nil }
      let isEnd = fill.isEnd || failure != nil
      let (found, error) = decoder.decode(chunk, isLast: isEnd)
      chunk.removeAll(keepingCapacity: true)
      packets += found
      // The cause is more informative than the early end.
      return (isEnd || error != nil, failure ?? error.map { InputError(name: name, $0) })
    }
  }
}
