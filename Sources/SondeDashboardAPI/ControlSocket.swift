import Glibc
package import SondeOutputs
package import SondeSystem

/// The socket through which local commands control a running server: `STATE/control.sock`.
///
/// A client sends one line. The answer is `ok`, `error` or, for an invalid request, `usage`,
/// followed by a space and lines of text.
package actor ControlSocket {
  /// The time limit of a read or write, in seconds.
  private static let patience = 2

  private let executor = BlockingExecutor(label: "sonde.control")
  private let place: ControlPlace
  private let listener: Descriptor
  private let wake: WakePipe

  /// A thread of its own, since waiting for clients blocks.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Starts listening in the state directory, whose lock is held; replaces an earlier socket.
  package init(in folder: String) throws(OutputError) {
    do throws(SystemError) {
      place = try ControlPlace(in: folder)
      wake = try WakePipe()
      listener = try place.listen()
    } catch {
      throw OutputError(name: "\(folder)/\(ControlPlace.name)", code: error.code)
    }
  }

  /// Answers clients with the results of `answer` for their lines until the task is cancelled.
  package func run(_ answer: @Sendable (String) async -> Result<String, ControlError>) async {
    await withTaskCancellationHandler {
      while let client = nextClient() {
        guard client.isTrusted, let line = client.readLine() else { continue }
        switch await answer(line) {
        case .success(let words): client.write("ok \(words)\n")
        case .failure(let error):
          client.write("\(error.isUsage ? "usage" : "error") \(error.reason)\n")
        }
      }
      place.remove()
    } onCancel: {
      wake.ring()
    }
  }

  private func nextClient() -> ControlConnection? {
    while wake.wait(for: .reading, of: listener.number) == .ready {
      let number = accept(listener.number, nil, nil)
      if number >= 0 {
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        return ControlConnection(Descriptor(owning: number), patience: Self.patience)
      }
      // No descriptor is free now, but one may be soon.
      if errno == EMFILE || errno == ENFILE { usleep(100_000) }
    }
    return nil
  }
}

/// Why a server rejected a request.
package struct ControlError: Error, Equatable {
  package let reason: String

  /// Whether the request itself is invalid.
  package let isUsage: Bool

  /// Creates a refusal.
  package init(reason: String, isUsage: Bool = false) {
    (self.reason, self.isUsage) = (reason, isUsage)
  }
}

/// The path of the socket, reached through a descriptor of its directory.
///
/// Socket paths are short (unix(7)); that of the directory need not be.
package struct ControlPlace {
  static let name = "control.sock"

  private let folder: Descriptor
  private var path: String { "/proc/self/fd/\(folder.number)/\(Self.name)" }

  /// - Throws: ``SystemError`` if the directory does not exist.
  package init(in folder: String) throws(SystemError) {
    self.folder = try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY)
  }

  /// Creates the socket for this user only and replaces an existing one.
  func listen() throws(SystemError) -> Descriptor {
    remove()
    let socket = try makeSocket()
    guard unsafe withAddress({ unsafe bind(socket.number, $0, $1) }) == 0,
      unsafe chmod(path, 0o600) == 0, Glibc.listen(socket.number, 16) == 0
    else { throw SystemError() }
    return socket
  }

  package func connect() throws(SystemError) -> Descriptor {
    let socket = try makeSocket()
    guard unsafe withAddress({ unsafe Glibc.connect(socket.number, $0, $1) }) == 0 else {
      throw SystemError()
    }
    return socket
  }

  func remove() { unsafe unlink(path) }

  private func makeSocket() throws(SystemError) -> Descriptor {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let socket = Descriptor(owning: Glibc.socket(AF_UNIX, type, 0))
    guard socket.number >= 0 else { throw SystemError() }
    return socket
  }

  private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
