public import SondeAddresses
public import SondeSystem

/// The way back from pseudonyms to addresses, for the owner of the key.
public struct Pseudonyms: Sendable {
  private let cipher: PrefixCipher

  /// Creates the way back; throws ``LibraryError`` without libcrypto.
  public init(_ key: PseudonymKey) throws(LibraryError) { cipher = try PrefixCipher(key) }

  /// The address of a pseudonym.
  public func address(of pseudonym: Address) -> Address { cipher.decrypt(pseudonym) }
}
