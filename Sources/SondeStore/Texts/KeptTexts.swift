public import SondeAddresses

/// What a source has found, and for how long it holds.
public struct KeptText: Sendable {
  /// The longest that anything is kept.
  public static let longest = Duration.seconds(86_400)

  /// What it is about; of an address, its `keptKey`.
  public let key: [UInt8]
  /// What was found, in bytes of the source's own.
  public let text: [UInt8]
  /// For how long it holds, a day at the most.
  public let lifetime: Duration

  /// Makes one.
  ///
  /// - Parameters:
  ///   - key: What it is about.
  ///   - text: What was found.
  ///   - lifetime: For how long it holds, a day at the most.
  public init(key: [UInt8], text: [UInt8], lifetime: Duration) {
    (self.key, self.text) = (key, text)
    self.lifetime = max(.zero, min(lifetime, Self.longest))
  }
}

/// Where sources keep from run to run what they have found, each thing for a time of its own.
///
/// Nothing here fails: what cannot be read counts as absent, and what cannot be written is given up.
public protocol KeptTexts: AnyObject, Sendable {
  /// Looks up what still holds.
  ///
  /// - Parameters:
  ///   - keys: What it is about, of which any may come twice.
  ///   - scope: Who keeps it, and what it depends on besides the key.
  ///   - age: The age at which it is too old, however long it holds; `nil` for none.
  /// - Returns: For each key what was found; `nil` for nothing.
  func texts(
    of keys: [[UInt8]],
    in scope: String,
    youngerThan age: Duration?
  ) async -> [[UInt8]?]

  /// Keeps what was found in place of what was kept of the same; returns when it is kept, or cannot be.
  ///
  /// - Parameters:
  ///   - texts: What was found.
  ///   - scope: Who keeps it, and what it depends on besides the key.
  func keep(_ texts: [KeptText], in scope: String) async
}

extension Address {
  /// What is kept of an address is kept by this, so that whoever removes its answers removes that, too.
  public var keptKey: [UInt8] {
    var bytes: [UInt8] = []
    if let ipv4 {
      bytes.append(bigEndian: ipv4)
    } else {
      bytes.append(bigEndian: high)
      bytes.append(bigEndian: low)
    }
    return bytes
  }
}
