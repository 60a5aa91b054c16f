import CSondeMalloc
import Glibc
import SondeSystem

/// The resources that the system must grant before a command begins.
///
/// Dispatch and others trap, or wait for ever, when they get no descriptor, thread or memory; so these
/// are checked first, and a clear error says what is missing.
struct Surroundings: Error, CustomStringConvertible {
  /// What is missing, and what to do, for a person.
  let description: String

  /// Makes sure that there are enough descriptors, threads, address space and memory.
  ///
  /// The soft limit of descriptors is raised where that helps and may be.
  static func check(for context: Context) throws(Surroundings) {
    let needs = Needs(of: context) { FileStatus(path: $0)?.size ?? 0 }
    try checkDescriptors(needs.descriptors)
    try checkRoom(needs.room)
    try checkThreads(needs.threads)
    try checkGroups(needs.memory)
  }

  /// A block of memory of this size, in bytes, is given back to the system once it is free.
  private static let returnedBlock: Int32 = 1 << 20

  /// Has malloc keep little of what is free; before any thread is started.
  static func spareMemory() {
    // Of itself it keeps blocks of up to 32 MB once one has been free (mallopt(3),
    // `M_MMAP_THRESHOLD`), and twice as much behind the last in use: more than all that Sonde holds.
    mallopt(M_MMAP_THRESHOLD, returnedBlock)
    mallopt(M_TRIM_THRESHOLD, 8 * returnedBlock)
    // malloc reserves 64 MB for each thread (mallopt(3), `M_ARENA_MAX`): where address space is limited,
    // there would be none left for the threads' stacks.
    if limit(RLIMIT_AS) != nil || limit(RLIMIT_DATA) != nil { mallopt(M_ARENA_MAX, 1) }
  }

  /// The soft limit of a resource; `nil` where there is none.
  private static func limit(_ resource: __rlimit_resource) -> rlim_t? {
    var limit = rlimit()
    // Its greatest value is RLIM_INFINITY (getrlimit(2)).
    guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return nil }
    return limit.rlim_cur < .max ? limit.rlim_cur : nil
  }
}

// MARK: - Descriptors and threads

extension Surroundings {
  private static func checkDescriptors(_ count: Int) throws(Surroundings) {
    var open: [Descriptor] = []
    while open.count < count {
      do throws(SystemError) {
        open.append(try Descriptor(opening: "/dev/null", O_RDONLY))
      } catch {
        guard error.code == EMFILE, raiseDescriptors(by: count - open.count) else {
          throw Surroundings(
            description: "\(error): with these options sonde opens up to \(count); raise ulimit -n"
          )
        }
      }
    }
  }

  /// Raises the soft limit of descriptors, no further than the hard one.
  ///
  /// - Returns: Whether it is higher now.
  private static func raiseDescriptors(by count: Int) -> Bool {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return false
    }
    limit.rlim_cur = min(limit.rlim_cur + rlim_t(count), limit.rlim_max)
    return unsafe setrlimit(resource, &limit) == 0
  }

  /// Starts as many threads as the command may need at a time, and ends them.
  private static func checkThreads(_ count: Int) throws(Surroundings) {
    do throws(SystemError) {
      try Thread.rehearse(count)
    } catch {
      throw Surroundings(
        description: "\(error): with these options sonde starts up to \(count) threads; raise "
          + "ulimit -u or -v, or the pids.max of its control group"
      )
    }
  }
}

// MARK: - Memory

extension Surroundings {
  /// Maps as much as a command may need, which is given back at once.
  private static func checkRoom(_ room: Int) throws(Surroundings) {
    // Writable, for only such memory counts as data (getrlimit(2), `RLIMIT_DATA`).
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let mapped = unsafe mmap(nil, room, PROT_READ | PROT_WRITE, flags, -1, 0),
      unsafe mapped != MAP_FAILED
    else {
      throw Surroundings(
        description: "\(SystemError()): with these options sonde takes up to \(room >> 20) MiB of "
          + "address space; raise ulimit -v and -d"
      )
    }
    unsafe munmap(mapped, room)
  }

  /// Asks the control groups that this process is in.
  private static func checkGroups(_ memory: Int) throws(Surroundings) {
    guard let limit = ControlGroups.smallestLimit(), limit.bytes < memory else { return }
    throw Surroundings(
      description: "\(limit.path) allows \(limit.bytes >> 20) MiB: sonde takes at least "
        + "\(memory >> 20) MiB; raise it"
    )
  }
}
