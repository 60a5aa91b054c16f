internal import CPcap
internal import Glibc
internal import Synchronization
internal import System

/// What libpcap knows of one device's link.
struct CapturedLink: Equatable {
  var status: LinkStatus
  var isWireless: Bool

  /// Reads libpcap's flags of a device (pcap_findalldevs(3PCAP)).
  init(flags: UInt32) {
    isWireless = flags & UInt32(PCAP_IF_WIRELESS) != 0
    let connection = Int32(bitPattern: flags & UInt32(PCAP_IF_CONNECTION_STATUS))
    status =
      switch connection {
      case PCAP_IF_CONNECTION_STATUS_CONNECTED: .connected
      case PCAP_IF_CONNECTION_STATUS_DISCONNECTED: .disconnected
      case PCAP_IF_CONNECTION_STATUS_NOT_APPLICABLE: .notApplicable
      case _: .unknown
      }
  }
}

/// libpcap's functions, loaded when links are first looked at.
private enum LibPcap {
  // Never written again once they are loaded.
  nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_pcap> in
    let library = DynamicLibrary("libpcap.so.0.8", package: "libpcap0.8")
    return unsafe try library.load(sonde_pcap_names(), as: sonde_pcap.self)
  }

  // It promises nothing about finding devices on two threads at once.
  static let lock = Mutex(())
}

/// Why libpcap cannot be loaded; `nil` where it can.
var libpcapError: LibraryError? {
  guard case .failure(let error) = unsafe LibPcap.loaded else { return nil }
  return error
}

/// Asks libpcap for the state of every link; needs no privilege.
///
/// It takes a third of a millisecond with a handful of interfaces, and 30 and more with 600.
///
/// libpcap lists more than interfaces ("any", "nflog", D-Bus), so names must be looked up in this,
/// not taken from it.
/// - Returns: By name; `nil` when it cannot be loaded, fails or finds nothing.
func captureLinks() -> [String: CapturedLink]? {
  guard let pcap = unsafe try? LibPcap.loaded.get() else { return nil }
  return LibPcap.lock.withLock { _ in
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    var head: UnsafeMutablePointer<pcap_if_t>?
    guard unsafe pcap.pointee.pcap_findalldevs(&head, &message) == 0 else { return nil }
    defer { unsafe pcap.pointee.pcap_freealldevs(head) }
    var links: [String: CapturedLink] = [:]
    var next = unsafe head
    while let device = unsafe next {
      unsafe next = device.pointee.next
      guard let name = unsafe device.pointee.name else { continue }
      unsafe links[String(cString: name)] = CapturedLink(flags: device.pointee.flags)
    }
    return links.isEmpty ? nil : links
  }
}
