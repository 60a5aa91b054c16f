import SondeSystem

/// The reason why a server cannot be started.
public enum ServerError: Error, Sendable, Equatable, CustomStringConvertible {
  /// libmicrohttpd cannot be loaded, with the reason and a remedy.
  case library(String)
  /// Not a numeric address and a port.
  case address(String)
  /// The address cannot be listened on, by the number of errno(3).
  case listening(at: String, Int32)
  /// The certificate or its key is not PEM, or they do not match.
  case certificate
  /// libmicrohttpd refuses, or memory is short.
  case refused

  /// The reason, in plain words.
  public var description: String {
    switch self {
    case .library(let words): words
    case .address(let text): "\(text) is not an address and a port"
    case .listening(let place, let code): "cannot listen on \(place): \(SystemError(code))"
    case .certificate: "the certificate and the key are no PEM, or do not go together"
    case .refused: "libmicrohttpd could not be started"
    }
  }
}
