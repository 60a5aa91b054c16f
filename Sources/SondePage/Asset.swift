import CSondePageAssets

/// What pages are made of, as it is in the binary.
enum Asset {
  /// Colours, type and spacing.
  static var theme: [UInt8] { unsafe bytes(of: sonde_theme()) }
  /// The world's outlines and its countries' points.
  static var outlines: [UInt8] { unsafe bytes(of: sonde_outlines()) }
  /// The page of a summary, with places for what is put into it.
  static var pageTemplate: [UInt8] { unsafe bytes(of: sonde_page_template()) }
  /// How the page of a summary is laid out.
  static var pageStyle: [UInt8] { unsafe bytes(of: sonde_page_style()) }
  /// What draws the page of a summary.
  static var pageScript: [UInt8] { unsafe bytes(of: sonde_page_script()) }

  private static func bytes(of asset: sonde_asset) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
  }
}
