/// The certificate by which a server proves its identity in TLS.
public struct TLSCertificate: Sendable {
  /// TLS 1.2 and 1.3 with ciphers that have forward secrecy and authenticated encryption (GnuTLS,
  /// "Priority strings").
  static let priorities = """
    NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:-CIPHER-ALL:\
    +AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD:-SIGN-RSA-SHA1:-SIGN-ECDSA-SHA1:\
    %SERVER_PRECEDENCE
    """

  /// PEM of the certificate and its intermediate certificates.
  let chain: String

  /// PEM.
  let key: String

  /// Wraps two PEM files (RFC 7468), which are checked when they are used.
  public init(chain: [UInt8], key: [UInt8]) {
    self.chain = String(decoding: chain, as: UTF8.self)
    self.key = String(decoding: key, as: UTF8.self)
  }
}
