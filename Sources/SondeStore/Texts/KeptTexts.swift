public import SondeAddresses

/// A text found by a source, with its lifetime.
public struct KeptText: Sendable {
  /// The longest lifetime.
  public static let longest = Duration.seconds(86_400)

  /// The key of the subject; of an address, its `keptKey`.
  public let key: [UInt8]
  /// The text, in the source's own format.
  public let text: [UInt8]
  /// The lifetime, at most a day.
  public let lifetime: Duration

  /// Creates a text with a lifetime of at most a day.
  public init(key: [UInt8], text: [UInt8], lifetime: Duration) {
    (self.key, self.text) = (key, text)
    self.lifetime = max(.zero, min(lifetime, Self.longest))
  }
}

/// A store for texts that sources have found, each with its own lifetime.
///
/// No method fails: unreadable data counts as missing, and data that cannot be written is dropped.
public protocol KeptTexts: AnyObject, Sendable {
  /// Looks up unexpired texts that are younger than `age`, in the scope of a source and its
  /// settings; one or `nil` for each key.
  func texts(of keys: [[UInt8]], in scope: String, youngerThan age: Duration?) async -> [[UInt8]?]

  /// Stores texts in the scope of a source and its settings, replacing earlier ones; returns when
  /// they are stored, or cannot be.
  func keep(_ texts: [KeptText], in scope: String) async
}

extension Address {
  /// The key for texts about an address, by which they are removed together with its answers.
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
