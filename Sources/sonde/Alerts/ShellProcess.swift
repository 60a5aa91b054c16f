import Dispatch
import Glibc
import Synchronization
import System

/// A command that `/bin/sh` runs, in a process group of its own.
///
/// Its input is empty, its output goes where errors go, and it inherits no other file.
final class ShellProcess: Sendable {
  /// How it ended.
  enum End: Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// By ``ShellProcess/kill(after:)``.
    case killed
  }

  private struct State {
    var isOver = false
    var isKilled = false
  }

  /// The process, and the group that it leads.
  let id: pid_t
  private let state = Mutex(State())

  /// Starts a command.
  ///
  /// - Parameters:
  ///   - command: A command line for the shell.
  ///   - variables: What the environment has beside this program's own.
  /// - Throws: ``SystemError`` when no process can be made.
  init(_ command: String, variables: [(name: String, value: String)]) throws(SystemError) {
    id = try spawnShell(
      ["sh", "-c", command],
      environment: Environment.read().merging(variables.map { ($0.name, $0.value) }) { $1 }
    )
  }

  /// Ends the whole group after a time, unless the command has ended by then.
  func kill(after time: Duration) {
    let deadline = DispatchTime.now() + .milliseconds(Int(time.milliseconds))
    DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in self?.kill() }
  }

  private func kill() {
    state.withLock { state in
      // Until it is reaped, its number is nobody else's.
      guard !state.isOver else { return }
      state.isKilled = true
      _ = Glibc.kill(-id, SIGKILL)
    }
  }

  /// Waits for the end, once, and leaves no zombie.
  ///
  /// Blocks the thread.
  func wait() -> End {
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let isKilled = state.withLock { state in
      state.isOver = true
      return state.isKilled
    }
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    // The layout of a status is Linux's own (WIFEXITED, WEXITSTATUS, WTERMSIG).
    let signal = status & 0x7f
    if signal == 0 { return .exited(status >> 8 & 0xff) }
    return isKilled ? .killed : .signalled(signal)
  }
}

/// Starts a shell with every signal as usual, and nothing open but its errors' way out.
private func spawnShell(
  _ arguments: [String],
  environment: [String: String]
) throws(SystemError) -> pid_t {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
  // libcurl does not mark its own files.
  for descriptor in openDescriptors() where descriptor > STDERR_FILENO {
    unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
  }

  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  var signals = sigset_t()
  unsafe sigemptyset(&signals)
  unsafe posix_spawnattr_setsigmask(&attributes, &signals)
  unsafe sigfillset(&signals)
  unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
  let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
  unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

  var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
  var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
  defer { unsafe (words + variables).forEach { unsafe free($0) } }
  var id = pid_t()
  let code = unsafe posix_spawn(&id, "/bin/sh", &actions, &attributes, &words, &variables)
  guard code == 0 else { throw SystemError(code) }
  return id
}

/// The files that this process has open at the moment.
private func openDescriptors() -> [Int32] {
  names(in: "/proc/self/fd").compactMap { Int32($0) }
}
