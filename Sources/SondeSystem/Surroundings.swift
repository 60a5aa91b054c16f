import CSondeMalloc
import Glibc

/// Checks the system resources that a command needs before it begins.
///
/// Dispatch and others trap, or block for ever, without a descriptor, thread or memory. Checking
/// first allows a clear error.
package struct Surroundings: Error, CustomStringConvertible {
  /// The missing resource and how to provide it.
  package let description: String

  /// Checks the numbers of descriptors and threads, the address space and the memory in bytes.
  ///
  /// The soft limit of descriptors is raised where necessary and permitted.
  package static func check(
    descriptors: Int,
    room: Int,
    threads: Int,
    memory: Int
  ) throws(Surroundings) {
    try checkDescriptors(descriptors)
    try checkRoom(room)
    try checkThreads(threads)
    try checkGroups(memory)
  }

  /// Memory blocks of at least this size, in bytes, are returned to the system when freed.
  private static let returnedBlock: Int32 = 1 << 20

  /// Limits the free memory that malloc retains; must run before any thread starts.
  package static func spareMemory() {
    // By default it retains blocks of up to 32 MB once one was freed (mallopt(3),
    // `M_MMAP_THRESHOLD`), and twice as much above the last in use: more than all of Sonde uses.
    mallopt(M_MMAP_THRESHOLD, returnedBlock)
    mallopt(M_TRIM_THRESHOLD, 8 * returnedBlock)
    // malloc reserves 64 MB for each thread (mallopt(3), `M_ARENA_MAX`), which would leave no room
    // for stacks where address space is limited.
    if limit(RLIMIT_AS) != nil || limit(RLIMIT_DATA) != nil { mallopt(M_ARENA_MAX, 1) }
  }

  /// The soft limit of a resource; `nil` if unlimited.
  private static func limit(_ resource: __rlimit_resource) -> rlim_t? {
    var limit = rlimit()
    // The greatest value is `RLIM_INFINITY` (getrlimit(2)).
    guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return nil }
    return limit.rlim_cur < .max ? limit.rlim_cur : nil
  }
}

// MARK: - Descriptors and threads

extension Surroundings {
  /// How many descriptors the process may have; `nil` if there is no limit.
  package static var mostDescriptors: Int? { limit(RLIMIT_NOFILE).map { Int(clamping: $0) } }

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

  /// Raises the soft limit of descriptors, at most to the hard one.
  ///
  /// - Returns: Whether it was raised.
  private static func raiseDescriptors(by count: Int) -> Bool {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return false
    }
    limit.rlim_cur = min(limit.rlim_cur + rlim_t(count), limit.rlim_max)
    return unsafe setrlimit(resource, &limit) == 0
  }

  /// Starts and ends as many threads as the command may need at a time.
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
  /// Maps and unmaps as much memory as the command may need.
  private static func checkRoom(_ room: Int) throws(Surroundings) {
    // Writable, since only such memory counts as data (getrlimit(2), `RLIMIT_DATA`).
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

  /// Checks the limits of the control groups of this process.
  private static func checkGroups(_ memory: Int) throws(Surroundings) {
    guard let limit = ControlGroups.smallestLimit(), limit.bytes < memory else { return }
    throw Surroundings(
      description: "\(limit.path) allows \(limit.bytes >> 20) MiB: sonde takes at least "
        + "\(memory >> 20) MiB; raise it"
    )
  }
}
