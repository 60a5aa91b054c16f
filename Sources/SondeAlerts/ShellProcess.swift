import CSondeSpawn
import Dispatch
import Glibc
import SondeRecords
import SondeSystem
import Synchronization

/// A command run by `/bin/sh` in a separate process group.
///
/// Its input is empty unless one is given, its output goes to stderr, and it inherits no other file.
final class ShellProcess: Sendable {
  /// How the shell ended.
  enum End: Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// By ``ShellProcess/stop(after:)``.
    case stopped
  }

  /// The state of the shell; its process ID is not reused before it is reaped.
  private enum Life {
    case running
    /// It has ended, but is not reaped while its group has other processes.
    case ended
    case reaped
  }

  private struct State {
    var life = Life.running
    var isStopped = false
  }

  /// The time that a group has to end after SIGTERM.
  static let grace = Duration.seconds(1)

  /// The process ID, and ID of its group.
  let id: pid_t
  private let state = Mutex(State())

  /// Starts a command line of the shell; `variables` are added to its environment, and `input` is its
  /// input.
  ///
  /// - Throws: ``SystemError`` if no process can be created.
  init(
    _ command: String,
    in environment: [String: String],
    variables: [(name: String, value: String)],
    input: [UInt8] = []
  ) throws(SystemError) {
    id = try spawnShell(
      ["sh", "-c", command],
      input: input,
      environment: environment.merging(variables.map { ($0.name, $0.value) }) { $1 }
    )
  }

  /// Ends the whole group, background processes included: SIGTERM, and SIGKILL after ``grace``.
  func stop(after time: Duration = .zero) {
    schedule(after: time) {
      self.send(SIGTERM)
      self.schedule(after: Self.grace) { self.send(SIGKILL) }
    }
  }

  private func schedule(after time: Duration, _ action: @escaping @Sendable () -> Void) {
    guard time > .zero else { return action() }
    let deadline = DispatchTime.now() + .milliseconds(Int(time.milliseconds))
    DispatchQueue.global().asyncAfter(deadline: deadline, execute: action)
  }

  private func send(_ signal: Int32) {
    state.withLock { state in
      guard state.life != .reaped else { return }
      state.isStopped = true
      _ = kill(-id, signal)
      if signal == SIGKILL, state.life == .ended { reap(&state) }
    }
  }

  /// Waits for the end of the shell, once; blocks the thread.
  ///
  /// The shell remains a zombie only while its group has other processes.
  func wait() -> End {
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let status = unsafe information._sifields._sigchld.si_status
    let isExit = unsafe information.si_code == Int32(CLD_EXITED)
    let isStopped = state.withLock { state in
      state.life = .ended
      return state.isStopped
    }
    reapOnceAlone()
    if isExit { return .exited(status) }
    return isStopped ? .stopped : .signalled(status)
  }

  /// Whether the shell has ended, but not its whole group.
  func leavesGroup() -> Bool {
    state.withLock { state in
      guard state.life == .ended else { return false }
      if !hasOthers(inGroup: id) { reap(&state) }
      return state.life == .ended
    }
  }

  /// Reaps the ended shell after the end of its group, which is checked at growing intervals.
  private func reapOnceAlone(after pause: Duration = .milliseconds(10)) {
    guard leavesGroup() else { return }
    let next = min(pause * 2, .seconds(1))
    schedule(after: pause) { self.reapOnceAlone(after: next) }
  }

  private func reap(_ state: inout State) {
    while waitpid(id, nil, 0) < 0, errno == EINTR {}
    state.life = .reaped
  }
}

/// Whether a group has any process other than its leader (proc_pid_stat(5)).
private func hasOthers(inGroup id: pid_t) -> Bool {
  names(in: "/proc").contains { name in
    guard let process = pid_t(name), process != id,
      let file = try? Descriptor(opening: "/proc/\(name)/stat", O_RDONLY)
    else { return false }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = unsafe read(file.number, &bytes, bytes.count)
    // The name in parentheses may contain any text; state, parent and group follow it.
    let fields = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: ")")).last ?? []
    let words = String(decoding: fields, as: UTF8.self).split(separator: " ")
    return words.count > 2 && words[0] != "Z" && pid_t(words[2]) == id
  }
}

/// Starts a shell with default signal handling and no open file but stderr.
private func spawnShell(
  _ arguments: [String],
  input: [UInt8],
  environment: [String: String]
) throws(SystemError) -> pid_t {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  let file = input.isEmpty ? nil : try TemporaryFile.open()
  if let file {
    try file.write(input)
    lseek(file.number, 0, SEEK_SET)
    unsafe posix_spawn_file_actions_adddup2(&actions, file.number, STDIN_FILENO)
  } else {
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  }
  unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
  // Libraries do not mark all of their files as close-on-exec, or not atomically.
  unsafe posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)

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
