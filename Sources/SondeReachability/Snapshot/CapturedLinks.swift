internal import SondePcap

/// The state of a device's link by libpcap.
struct CapturedLink: Equatable {
  var status: LinkStatus
  var isWireless: Bool

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

  init(flags: UInt32) { self.init(CaptureDevice(flags: flags)) }
}

/// The state of all links by libpcap; `nil` if it cannot be loaded, fails or finds nothing.
func captureLinks() -> [String: CapturedLink]? { captureDevices()?.mapValues { CapturedLink($0) } }
