import Glibc

/// The certificate authorities that are trusted.
public struct CertificateAuthorities: Sendable, Equatable {
  /// A PEM file instead of the system's.
  public var file: String?

  /// A directory prepared by `openssl rehash`, instead of the system's.
  public var folder: String?

  /// Creates a choice of a file and a directory; `nil` selects the system's.
  public init(file: String? = nil, folder: String? = nil) {
    (self.file, self.folder) = (file, folder)
  }

  /// Reads the variables of the curl tool: `CURL_CA_BUNDLE`, else `SSL_CERT_DIR` and
  /// `SSL_CERT_FILE` (curl(1), ENVIRONMENT).
  public init(environment value: (String) -> String?) {
    if let bundle = value("CURL_CA_BUNDLE") {
      self.init(file: bundle)
    } else {
      self.init(file: value("SSL_CERT_FILE"), folder: value("SSL_CERT_DIR"))
    }
  }

  /// Reads the environment of this process.
  public static func fromEnvironment() -> CertificateAuthorities {
    CertificateAuthorities { name in
      guard let text = unsafe getenv(name), unsafe text.pointee != 0 else { return nil }
      return unsafe String(cString: text)
    }
  }
}
