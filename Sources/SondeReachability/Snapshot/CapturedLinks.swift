import SondePcap

internal import SondePcap

/// What libpcap knows of one device's link.
struct CapturedLink: Equatable {
  var status: LinkStatus
  var isWireless: Bool

  /// Takes what libpcap knows.
  init(_ device: CaptureDevice) {
    isWireless = device.isWireless
    status =
      switch device.connection {
      case .connected: .connected
      case .disconnected: .disconnected
      case .notApplicable: .notApplicable
      case .unknown: .unknown
      }
  }

  /// Reads libpcap's flags of a device.
  init(flags: UInt32) { self.init(CaptureDevice(flags: flags)) }
}

/// Asks libpcap for the state of every link; `nil` when it cannot be loaded, fails or finds nothing.
func captureLinks() -> [String: CapturedLink]? {
  captureDevices()?.mapValues { CapturedLink($0) }
}
