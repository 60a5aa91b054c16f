import CSondePcap
import Glibc
import SondeSystem

/// Why a capture cannot be read completely, in libpcap's words.
public struct CaptureError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// A capture read by libpcap from a stream; used by one thread.
@safe
final class CaptureHandle {
  /// The result of reading a packet.
  enum Step {
    case packet(CapturedPacket)
    /// A packet without an address.
    case nothing
    case end
  }

  private let stream: CaptureStream
  private let pcap: UnsafePointer<sonde_pcap>
  private let handle: OpaquePointer
  private let link: LinkLayer
  private var header: UnsafeMutablePointer<pcap_pkthdr>?
  private var bytes: UnsafePointer<UInt8>?

  /// Reads the header of a capture.
  init(_ source: CaptureStream) throws(CaptureError) {
    switch unsafe LibPcap.loaded {
    case .success(let table): unsafe pcap = unsafe table
    case .failure(let error): throw CaptureError("\(error)")
    }
    stream = source
    let stream = unsafe try source.open()
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    let precision = UInt32(PCAP_TSTAMP_PRECISION_NANO)
    let opened = unsafe pcap.pointee.pcap_fopen_offline_with_tstamp_precision(
      stream,
      precision,
      &message
    )
    guard let opened = unsafe opened else {
      unsafe fclose(stream)
      let end = message.firstIndex(of: 0) ?? message.endIndex
      let words = message[..<end].map { UInt8(bitPattern: $0) }
      throw CaptureError(
        "is no capture that can be read (\(String(decoding: words, as: UTF8.self)))"
      )
    }
    let number = unsafe pcap.pointee.pcap_datalink(opened)
    guard let link = LinkLayer(number: number) else {
      let name = unsafe pcap.pointee.pcap_datalink_val_to_name(number)
      let words = unsafe name.map { unsafe String(cString: $0) } ?? "\(number)"
      unsafe pcap.pointee.pcap_close(opened)
      throw CaptureError("is a capture with the link type \(words), which is not read")
    }
    self.link = link
    unsafe handle = opened
  }

  deinit { unsafe pcap.pointee.pcap_close(handle) }

  func next() throws(CaptureError) -> Step {
    switch unsafe pcap.pointee.pcap_next_ex(handle, &header, &bytes) {
    case 1: break
    case PCAP_ERROR_BREAK: return .end
    default:
      let words = unsafe pcap.pointee.pcap_geterr(handle)
      throw unsafe CaptureError(words.map { unsafe String(cString: $0) } ?? "cannot be read")
    }
    guard let header = unsafe header?.pointee, let bytes = unsafe bytes else { return .nothing }
    let captured = unsafe UnsafeBufferPointer(start: bytes, count: Int(header.caplen)).span
    guard let found = link.addresses(of: captured) else { return .nothing }
    // All captures are opened with nanosecond precision.
    let seconds = Int64(header.ts.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    return .packet(
      CapturedPacket(
        time: seconds.overflow ? 0 : seconds.partialValue &+ Int64(header.ts.tv_usec),
        length: header.len,
        source: found.source,
        destination: found.destination
      )
    )
  }
}
