import CSondePcap
public import SondeSystem

/// libpcap's functions, loaded on first use.
enum LibPcap {
  // Never written after loading.
  nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_pcap> in
    let library = DynamicLibrary("libpcap.so.0.8", "libpcap.so.1", package: "libpcap0.8")
    return unsafe try library.load(sonde_pcap_names(), as: sonde_pcap.self)
  }
}

/// Why libpcap cannot be loaded; `nil` if it can.
public var libpcapError: LibraryError? {
  if case .failure(let error) = unsafe LibPcap.loaded { error } else { nil }
}
