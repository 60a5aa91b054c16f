internal import CSondeCrypto
import Glibc
import SondeSystem

/// The certificate authorities that are trusted for HTTPS; `nil` selects OpenSSL's own.
public struct RedisTrust: Sendable {
  /// A file in PEM format.
  public var file: String?
  /// A directory prepared by `openssl rehash`.
  public var folder: String?

  /// Creates a choice of a file and a directory.
  public init(file: String? = nil, folder: String? = nil) {
    (self.file, self.folder) = (file, folder)
  }
}

/// TLS 1.2 or later over a socket, by OpenSSL.
///
/// The server's certificate must be trusted, and be for the host that was connected to. The files
/// are read with each connection, so that renewed ones are used.
@safe final class RedisTLS {
  typealias Instant = ContinuousClock.Instant

  private let functions: UnsafePointer<sonde_tls>
  private let session: OpaquePointer
  private let socket: RedisSocket

  /// Negotiates TLS with a host by a deadline.
  init(
    over socket: RedisSocket,
    with host: String,
    _ files: RedisPlace.TLSFiles,
    trusting trust: RedisTrust,
    by deadline: Instant
  ) throws(RedisError) {
    let functions = unsafe try LibSSL.functions()
    let context = unsafe try Self.context(functions, files, trust)
    // A session keeps its context alive.
    defer { unsafe functions.pointee.SSL_CTX_free(context) }
    guard let session = unsafe functions.pointee.SSL_new(context) else {
      throw RedisError(.unusable, "memory is short")
    }
    unsafe (self.functions, self.session, self.socket) = (functions, session, socket)
    guard unsafe functions.pointee.SSL_set1_host(session, host) == 1,
      unsafe functions.pointee.SSL_set_fd(session, socket.descriptor) == 1
    else { throw RedisError(.unusable, "memory is short") }
    try name(host)
    let isDone = try attempt(by: deadline) { unsafe functions.pointee.SSL_connect(session) }
    guard isDone != nil else {
      throw RedisError(.unreachable, "TLS was not negotiated in time")
    }
  }

  deinit { unsafe functions.pointee.SSL_free(session) }

  /// Names the host to the server, unless it is an address (RFC 6066 §3).
  private func name(_ host: String) throws(RedisError) {
    var address = in6_addr()
    let isAddress =
      unsafe inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    guard !isAddress else { return }
    var host = Array(host.utf8CString)
    let code = unsafe functions.pointee.SSL_ctrl(
      session,
      SSL_CTRL_SET_TLSEXT_HOSTNAME,
      Int(TLSEXT_NAMETYPE_host_name),
      &host
    )
    guard code == 1 else { throw RedisError(.unusable, "memory is short") }
  }

  // MARK: - Settings

  private static func context(
    _ functions: UnsafePointer<sonde_tls>,
    _ files: RedisPlace.TLSFiles,
    _ trust: RedisTrust
  ) throws(RedisError) -> OpaquePointer {
    let library = unsafe functions.pointee
    library.ERR_clear_error()
    guard let method = unsafe library.TLS_client_method(),
      let context = unsafe library.SSL_CTX_new(method)
    else { throw RedisError(.unusable, "memory is short") }
    do throws(RedisError) {
      _ = unsafe library.SSL_CTX_ctrl(
        context,
        SSL_CTRL_SET_MIN_PROTO_VERSION,
        Int(TLS1_2_VERSION),
        nil
      )
      unsafe library.SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
      // Otherwise OpenSSL asks the terminal for the password of an encrypted key.
      unsafe library.SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
      unsafe try load(files, trust, into: context, library)
    } catch {
      unsafe library.SSL_CTX_free(context)
      throw error
    }
    return unsafe context
  }

  private static func load(
    _ files: RedisPlace.TLSFiles,
    _ trust: RedisTrust,
    into context: OpaquePointer,
    _ library: sonde_tls
  ) throws(RedisError) {
    if let file = files.authorities {
      let code = unsafe library.SSL_CTX_load_verify_locations(context, file, nil)
      guard code == 1 else { throw unusable(file, library) }
    } else if trust.file != nil || trust.folder != nil {
      let code = unsafe library.SSL_CTX_load_verify_locations(context, trust.file, trust.folder)
      guard code == 1 else {
        throw unusable(trust.file ?? trust.folder ?? "", library)
      }
    } else {
      _ = unsafe library.SSL_CTX_set_default_verify_paths(context)
    }
    guard let certificate = files.certificate, let key = files.key else { return }
    guard unsafe library.SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
      throw unusable(certificate, library)
    }
    guard unsafe library.SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1,
      unsafe library.SSL_CTX_check_private_key(context) == 1
    else { throw unusable(key, library) }
  }

  private static func unusable(_ file: String, _ library: sonde_tls) -> RedisError {
    let code = library.ERR_get_error()
    return RedisError(.untrusted, "\(file) cannot be used for TLS: \(words(code, library))")
  }

  private static func words(_ code: UInt, _ library: sonde_tls) -> String {
    if ERR_GET_LIB(code) == ERR_LIB_SYS { return SystemError(ERR_GET_REASON(code)).description }
    return unsafe library.ERR_reason_error_string(code).map { unsafe String(cString: $0) }
      ?? "no reason is known"
  }

  // MARK: - Reading and writing

  /// Reads what has arrived, waiting for it until the deadline; `nil` after the deadline, and empty
  /// at the end.
  func read(by deadline: Instant) throws(RedisError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: RedisSocket.pageSize)
    let count = try attempt(by: deadline) {
      unsafe functions.pointee.SSL_read(session, &bytes, Int32(bytes.count))
    }
    return count.map { Array(bytes.prefix(Int($0))) }
  }

  /// Writes bytes; returns whether all were written by the deadline.
  func write(_ bytes: [UInt8], by deadline: Instant) throws(RedisError) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // At most the size of a record, which is written as a whole or not at all.
      let record = Array(rest.prefix(16 << 10))
      let count = try attempt(by: deadline) {
        unsafe functions.pointee.SSL_write(session, record, Int32(record.count))
      }
      guard let count else { return false }
      rest = rest.dropFirst(Int(count))
    }
    return true
  }

  /// Repeats a call until it succeeds; `nil` after the deadline, and 0 if the server has ended the
  /// session.
  private func attempt(by deadline: Instant, _ call: () -> Int32) throws(RedisError) -> Int32? {
    while true {
      unsafe functions.pointee.ERR_clear_error()
      let count = call()
      if count > 0 { return count }
      let code = errno
      switch unsafe functions.pointee.SSL_get_error(session, count) {
      case SSL_ERROR_WANT_READ: guard socket.wait(for: POLLIN, by: deadline) else { return nil }
      case SSL_ERROR_WANT_WRITE: guard socket.wait(for: POLLOUT, by: deadline) else { return nil }
      case SSL_ERROR_ZERO_RETURN: return 0
      case SSL_ERROR_SYSCALL: throw code == 0 ? .closed : RedisSocket.failure(code)
      default: throw failure
      }
    }
  }

  /// The error of OpenSSL's last call.
  private var failure: RedisError {
    let library = unsafe functions.pointee
    let code = library.ERR_get_error()
    let words = Self.words(code, library)
    switch ERR_GET_REASON(code) {
    case SSL_R_UNEXPECTED_EOF_WHILE_READING: return .closed
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      let result = unsafe library.SSL_get_verify_result(session)
      let reason = unsafe library.X509_verify_cert_error_string(result)
        .map { unsafe String(cString: $0) }
      return RedisError(.untrusted, "its certificate is not accepted: \(reason ?? words)")
    // The other side's alerts (RFC 8446 §6) begin at 1000.
    case SSL_AD_REASON_OFFSET...: return RedisError(.untrusted, "it refuses TLS: \(words)")
    default: return RedisError(.unintelligible, "no TLS is spoken there: \(words)")
    }
  }
}
