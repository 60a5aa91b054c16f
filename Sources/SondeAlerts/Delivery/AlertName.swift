import SondeWeb

/// The name of an alert's file in a queue: its place in the order, and its key.
struct AlertName: Hashable, Sendable {
  /// The place in the order of the queue; not unique, for several programs may add at once.
  let number: Int

  /// The `Idempotency-Key` of its requests, unlike that of any other alert.
  let key: String

  /// Whether a receiver has refused it, so that its user has moved it back if it is in the queue.
  var isRefused = false

  /// Names a new alert; without a `key`, it gets one of its own.
  init(number: Int, key: String? = nil) {
    self.number = number
    self.key = key ?? Alert.newKey()
  }

  /// Whether a text can be a key: 32 hexadecimal digits.
  static func isKey(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
  }

  /// Reads the name of a file; `nil` for one that is no alert.
  init?(file name: String) {
    guard name.hasSuffix(Self.suffix) else { return nil }
    let parts = name.dropLast(Self.suffix.count)
      .split(separator: "-", omittingEmptySubsequences: false)
    // At most 18 digits, so that there is always a next number.
    guard parts.count == 2 || parts.count == 3 && parts[2] == Self.mark,
      (12...18).contains(parts[0].utf8.count), parts[0].utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      let number = Int(parts[0]), Self.isKey(String(parts[1]))
    else { return nil }
    (self.number, key, isRefused) = (number, String(parts[1]), parts.count == 3)
  }

  /// The name of the file, which sorts by number.
  var file: String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 12 - digits.count)) + digits + "-\(key)"
      + (isRefused ? "-\(Self.mark)" : "") + Self.suffix
  }

  private static let suffix = ".json"
  private static let mark = "refused"
}

extension AlertName: Comparable {
  static func < (left: AlertName, right: AlertName) -> Bool {
    (left.number, left.key) < (right.number, right.key)
  }
}

/// A number as 16 hexadecimal digits.
private func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

extension Alert {
  /// A key unlike any other: 128 random bits.
  package static func newKey() -> String {
    (0..<2).map { _ in hexadecimal(UInt64.random(in: 0 ... .max)) }.joined()
  }

  /// What identifies it in all queues; `nil` if the queue may choose.
  var key: String? {
    guard kind == .hits, let id = event["id"]?.text, AlertName.isKey(id) else { return nil }
    return id
  }
}
