import CSondePageAssets

/// The resources of pages, embedded in the binary.
enum PageResource {
  /// Colours, type and spacing.
  static var theme: [UInt8] { unsafe bytes(of: sonde_theme()) }
  /// The world's outlines and the points of countries.
  static var outlines: [UInt8] { unsafe bytes(of: sonde_outlines()) }
  static var pageTemplate: [UInt8] { unsafe bytes(of: sonde_page_template()) }
  static var pageStyle: [UInt8] { unsafe bytes(of: sonde_page_style()) }
  static var outagesTemplate: [UInt8] { unsafe bytes(of: sonde_outages_template()) }
  /// What is added to the style of a summary's page.
  static var outagesStyle: [UInt8] { unsafe bytes(of: sonde_outages_style()) }
  static var outagesScript: [UInt8] { unsafe bytes(of: sonde_outages_script()) }
  static var pageScript: [UInt8] { unsafe bytes(of: sonde_page_script()) }

  private static func bytes(of asset: sonde_asset) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
  }
}
