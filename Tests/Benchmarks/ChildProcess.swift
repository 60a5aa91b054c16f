import AllocationCount
import Glibc

/// A failure of the benchmark itself.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// How a process or a part of one ended, and what it took.
struct Usage {
  var status: Int32 = 0
  var wall: Duration
  var processor: Duration
  /// The most memory resident at once, in bytes, if it was a process.
  var peakMemory: Int?
  /// How often it asked for memory, if that was counted.
  var allocations: Int?
}

/// What work in this process takes, from here on.
struct Meter {
  private let start = ContinuousClock.now
  private let processor = clock()
  private let allocations = allocation_count()

  /// What it has taken so far; POSIX has `CLOCKS_PER_SEC` be a million.
  var usage: Usage {
    Usage(
      wall: .now - start,
      processor: .microseconds(clock() - processor),
      allocations: Int(allocation_count() - allocations)
    )
  }
}

/// A program under way.
struct ChildProcess {
  let identifier: pid_t
  private let start = ContinuousClock.now

  /// Starts a program, found by `PATH` unless it has a `/`.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - environment: Its variables besides `PATH`.
  ///   - input: The descriptor of its standard input; `nil` for an empty one.
  ///   - output: The descriptor of its standard output; `nil` drops it.
  ///   - messages: The descriptor of its standard error; `nil` drops it.
  /// - Throws: ``BenchmarkError`` when it cannot be started.
  init(
    _ command: [String],
    environment: [String: String] = [:],
    input: Int32? = nil,
    output: Int32? = nil,
    messages: Int32? = nil
  ) throws {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let descriptors = [input, output, messages]
    for (number, descriptor) in zip(Int32(0)..., descriptors) {
      if let descriptor {
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      }
    }
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    let variables = ["PATH=\(path)"] + environment.map { "\($0.key)=\($0.value)" }
    let (words, settings) = (CStrings(command), CStrings(variables))
    defer { withExtendedLifetime((words, settings)) {} }
    var identifier: pid_t = 0
    let code = unsafe posix_spawnp(
      &identifier,
      command[0],
      &actions,
      nil,
      words.pointers,
      settings.pointers
    )
    guard code == 0 else { throw BenchmarkError("\(command[0]) cannot be started") }
    self.identifier = identifier
  }

  /// The most memory that this process had resident so far, in bytes.
  ///
  /// Linux counts it as a child's own when that is started (execve(2) takes over `ru_maxrss`).
  static var smallestPeak: Int {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss << 10
  }

  /// Waits for its end.
  ///
  /// The peak is no less than ``smallestPeak``, which is why everything large here happens after
  /// the last process is measured.
  func wait() -> Usage {
    var (status, usage) = (Int32(0), rusage())
    while unsafe wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
    return Usage(
      status: status,
      wall: .now - start,
      processor: Duration(usage.ru_utime) + Duration(usage.ru_stime),
      peakMemory: usage.ru_maxrss << 10
    )
  }
}

/// Texts as `execve(2)` wants them.
@safe private final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ texts: [String]) {
    count = texts.count
    unsafe pointers = .allocate(capacity: count + 1)
    for (index, text) in texts.enumerated() { unsafe pointers[index] = strdup(text) }
    unsafe pointers[count] = nil
  }

  deinit {
    for index in 0..<count { unsafe free(pointers[index]) }
    unsafe pointers.deallocate()
  }
}

extension Duration {
  fileprivate init(_ time: timeval) {
    self = .seconds(time.tv_sec) + .microseconds(time.tv_usec)
  }
}

/// A pipe whose writing end goes to a child.
struct Pipe {
  let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw BenchmarkError("no pipe to be had") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  /// Closes this process's writing end and reads to the end, handing over what comes.
  func drain(_ take: (Span<UInt8>) -> Void) {
    close(writing)
    defer { close(reading) }
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = unsafe read(reading, &buffer, buffer.count)
      guard count > 0 else { return }
      take(buffer.span.extracting(0..<count))
    }
  }
}
