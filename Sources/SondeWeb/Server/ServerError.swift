import SondeSystem

internal import SondeSystem

/// Why a server cannot be started.
public enum ServerError: Error, Sendable, Equatable, CustomStringConvertible {
  /// libmicrohttpd cannot be loaded: the reason, and what helps.
  case library(String)
  /// Not a numeric address and a port.
  case address(String)
  /// Nobody can listen there, by the number of errno(3).
  case listening(at: String, Int32)
  /// The certificate or its key is no PEM, or they do not go together.
  case certificate
  /// libmicrohttpd refuses, or there is no memory for it.
  case refused

  /// The reason, for a person.
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
