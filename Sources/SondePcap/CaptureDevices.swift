import CSondePcap
import Synchronization

/// What libpcap knows of a device's link.
public struct CaptureDevice: Sendable, Equatable {
  /// Whether there is a link.
  public enum Connection: Sendable {
    case connected, disconnected, notApplicable, unknown
  }

  /// Whether there is a link.
  public let connection: Connection
  /// Whether it is a radio's.
  public let isWireless: Bool

  /// Reads libpcap's flags of a device (pcap_findalldevs(3PCAP)).
  public init(flags: UInt32) {
    isWireless = flags & UInt32(PCAP_IF_WIRELESS) != 0
    connection =
      switch Int32(bitPattern: flags & UInt32(PCAP_IF_CONNECTION_STATUS)) {
      case PCAP_IF_CONNECTION_STATUS_CONNECTED: .connected
      case PCAP_IF_CONNECTION_STATUS_DISCONNECTED: .disconnected
      case PCAP_IF_CONNECTION_STATUS_NOT_APPLICABLE: .notApplicable
      case _: .unknown
      }
  }
}

// libpcap promises nothing about finding devices on two threads at once.
private let lock = Mutex(())

/// Asks libpcap for the devices that it could capture from; needs no privilege.
///
/// It takes a third of a millisecond with a handful of interfaces, and 30 and more with 600.
///
/// libpcap lists more than interfaces ("any", "nflog", D-Bus), so names must be looked up in this,
/// not taken from it.
/// - Returns: By name; `nil` when it cannot be loaded, fails or finds nothing.
public func captureDevices() -> [String: CaptureDevice]? {
  guard let pcap = unsafe try? LibPcap.loaded.get() else { return nil }
  return lock.withLock { _ in
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    var head: UnsafeMutablePointer<pcap_if_t>?
    guard unsafe pcap.pointee.pcap_findalldevs(&head, &message) == 0 else { return nil }
    defer { unsafe pcap.pointee.pcap_freealldevs(head) }
    var devices: [String: CaptureDevice] = [:]
    var next = unsafe head
    while let device = unsafe next {
      unsafe next = device.pointee.next
      guard let name = unsafe device.pointee.name else { continue }
      unsafe devices[String(cString: name)] = CaptureDevice(flags: device.pointee.flags)
    }
    return devices.isEmpty ? nil : devices
  }
}
