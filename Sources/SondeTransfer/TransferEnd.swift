internal import CSondeCurl
import Glibc
import SondeSystem

/// The cause and the progress of a failed transfer in libcurl's terms.
struct TransferEnd {
  var code: CURLcode

  /// The `errno` of the failed system call; 0 if none failed.
  var systemError: Int32 = 0

  /// Whether the name was resolved, or needed no resolution.
  var isResolved = false

  /// Whether an address of the host was refused.
  var isAddressRefused = false

  /// Whether a new TCP connection was established.
  var isConnected = false

  /// Whether writing the request to a connection was started.
  var isSent = false

  /// Whether any byte of the answer was received.
  var hasAnswer = false

  /// The proxy's status code for CONNECT; 0 if there was none.
  var proxyStatus = 0

  /// Whether the answer was rejected for its size.
  var isTooLarge = false

  /// Why the answer could not be written to the file that it was for.
  var writeError: SystemError?

  /// libcurl's message; shown for TLS only, where it contains only host and certificate names.
  var detail = ""

  var phase: TransferError.Phase {
    if hasAnswer { return .receiving }
    if isSent { return .waiting }
    if isConnected { return .securing }
    return isResolved ? .connecting : .resolving
  }

  var reason: TransferError.Reason {
    if isTooLarge { return .bodyTooLarge }
    if let writeError { return .notStored(writeError) }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .couldNotResolve
    case CURLE_COULDNT_CONNECT: return isAddressRefused ? .addressRefused : connectReason
    case CURLE_OPERATION_TIMEDOUT: return timeoutReason
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
      CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND:
      return lossReason
    case CURLE_FILESIZE_EXCEEDED: return .bodyTooLarge
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: return .malformedAnswer("not HTTP")
    // Accepting fewer bytes than given is a write error, too, but then the answer is too large.
    case CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
      return .malformedAnswer("its compression is broken")
    // libcurl has no other code for a header line beyond its limit of 100 KiB.
    case CURLE_OUT_OF_MEMORY where isSent: return .malformedAnswer("its header is too large")
    case CURLE_ABORTED_BY_CALLBACK: return .staleConnection
    case CURLE_PROXY: return .connectionFailed("the proxy refused")
    case CURLE_SSL_CACERT_BADFILE: return .misconfigured("the file of trusted certificates is bad")
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_INITFAILED:
      return .tls(detail.isEmpty ? words : detail)
    default: return .connectionFailed(words)
    }
  }

  private var connectReason: TransferError.Reason {
    switch systemError {
    case ECONNREFUSED: .connectionRefused
    case ETIMEDOUT: .connectTimedOut
    case ECONNRESET: .connectionLost
    case EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, EINVAL: .noRoute
    case EACCES, EPERM: .notPermitted
    default: .connectionFailed(systemError == 0 ? words : systemWords)
    }
  }

  /// The reason of a time-out: a silent name server counts as missing, a TLS handshake as part of
  /// connecting.
  private var timeoutReason: TransferError.Reason {
    switch phase {
    case .resolving: .couldNotResolve
    case .connecting, .securing: .connectTimedOut
    case .preparing, .waiting, .receiving: .timedOut
    }
  }

  private var lossReason: TransferError.Reason {
    if proxyStatus >= 300 { return .proxyAnswered(status: proxyStatus) }
    return switch systemError {
    case EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN: .noRoute
    case EACCES, EPERM: .notPermitted
    case ETIMEDOUT: .timedOut
    default: .connectionLost
    }
  }

  private var words: String { LibCurl.words(of: code) }

  /// The system's message; strerror(3) is thread-safe in glibc since 2.32.
  private var systemWords: String { unsafe String(cString: strerror(systemError)) }
}
