import SondeSystem

/// The key of pseudonyms: two keys of AES-128 (draft-denis-ipcrypt, ipcrypt-pfx).
public struct PseudonymKey: Sendable, Equatable {
  /// Both keys, 32 bytes.
  let bytes: [UInt8]

  /// The length of a key file that is certainly too long, in bytes.
  public static let longestFile = 4096

  /// Reads the content of a key file: 64 hexadecimal digits and white space.
  ///
  /// Throws ``PseudonymKeyError``, also for two equal halves, which would leave addresses as they
  /// are.
  public init(file: [UInt8]) throws(PseudonymKeyError) {
    var digits: [UInt8] = []
    for byte in file where !" \t\r\n".utf8.contains(byte) {
      guard let digit = Self.value(of: byte) else { throw .malformed }
      digits.append(digit)
    }
    guard digits.count == 64 else { throw .malformed }
    bytes = stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    guard bytes[..<16] != bytes[16...] else { throw .equalHalves }
  }

  /// A text that differs for each key, from which the key cannot be found.
  public var fingerprint: String {
    // The key has the length that the hash takes.
    let hash = KeyedHash(key: bytes)?.hash(Array("ipcrypt-pfx".utf8)) ?? []
    return hash.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Why a key file is unusable; the description never contains its content.
public enum PseudonymKeyError: Error, Equatable, CustomStringConvertible {
  case malformed, equalHalves

  /// The reason, to follow the file's name.
  public var description: String {
    let advice = "make a key by: openssl rand -hex 32"
    return switch self {
    case .malformed: "does not hold 64 hexadecimal digits; \(advice)"
    case .equalHalves:
      "has two equal halves, which would leave every address as it is; \(advice)"
    }
  }
}
