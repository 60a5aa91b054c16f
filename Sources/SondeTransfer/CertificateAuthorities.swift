import Glibc

/// Whose certificates are trusted.
public struct CertificateAuthorities: Sendable, Equatable {
  /// A PEM file in place of the system's own.
  public var file: String?

  /// A folder as made by `openssl rehash`, in place of the system's own.
  public var folder: String?

  /// Names a file and a folder; the system's own where `nil`.
  public init(file: String? = nil, folder: String? = nil) {
    self.file = file
    self.folder = folder
  }

  /// Reads the variables that the curl tool reads: `CURL_CA_BUNDLE`, else `SSL_CERT_DIR` and
  /// `SSL_CERT_FILE` (curl(1), ENVIRONMENT).
  public init(environment value: (String) -> String?) {
    if let bundle = value("CURL_CA_BUNDLE") {
      self.init(file: bundle)
    } else {
      self.init(file: value("SSL_CERT_FILE"), folder: value("SSL_CERT_DIR"))
    }
  }

  /// What this process's environment asks for.
  public static func fromEnvironment() -> CertificateAuthorities {
    CertificateAuthorities { name in
      guard let text = unsafe getenv(name), unsafe text.pointee != 0 else { return nil }
      return unsafe String(cString: text)
    }
  }
}
