import CMalloc
import Dispatch
import Glibc
import Providers
import Scanner
import System

/// The resources that the system must grant before a command begins.
///
/// Dispatch and others trap, or wait for ever, when they get no descriptor or thread; so these are
/// checked first, and a clear error says what is missing.
struct Surroundings: Error, CustomStringConvertible {
  /// What is missing, for a person.
  let description: String

  /// Descriptors that a command needs beside the standard streams: inputs, outputs, an event loop.
  fileprivate static let descriptors = 16
  /// Those that HTTP needs besides, without the connections of a scan.
  fileprivate static let remoteDescriptors = 16
  /// Those of the server for metrics, and of its first connections.
  fileprivate static let metricsDescriptors = 8
  /// Threads for blocking calls that a command on the network may need, besides one a processor.
  fileprivate static let threads = 12
  /// Those of any other command, besides two a processor: one that searches and one for tasks.
  fileprivate static let localThreads = 4
  /// Address space for what a command holds, beside the stacks of its threads, in bytes.
  private static let room = 128 << 20

  /// Makes sure that there are enough descriptors, threads and address space.
  static func check(for context: Context) throws(Surroundings) {
    try checkDescriptors(context.descriptorsNeeded)
    try checkThreads(context.threadsNeeded)
  }

  /// A block of memory of this size, in bytes, is given back to the system once it is free.
  private static let returnedBlock: Int32 = 1 << 20

  /// Has malloc keep little of what is free; before any thread is started.
  static func spareMemory() {
    // Of itself it keeps blocks of up to 32 MB once one has been free (mallopt(3),
    // `M_MMAP_THRESHOLD`), and twice as much behind the last in use: more than all that Sonde holds.
    mallopt(M_MMAP_THRESHOLD, returnedBlock)
    mallopt(M_TRIM_THRESHOLD, 8 * returnedBlock)
    spareAddressSpace()
  }

  /// Keeps malloc from reserving 64 MB for each thread (mallopt(3), `M_ARENA_MAX`) where address
  /// space is limited, as there would be none left for the threads' stacks.
  private static func spareAddressSpace() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    // Its greatest value is RLIM_INFINITY (getrlimit(2)).
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < .max else { return }
    mallopt(M_ARENA_MAX, 1)
  }

  private static func checkDescriptors(_ count: Int) throws(Surroundings) {
    var open: [Descriptor] = []
    for _ in 0..<count {
      do throws(SystemError) {
        open.append(try Descriptor(opening: "/dev/null", O_RDONLY))
      } catch {
        throw Surroundings(description: "\(error): sonde opens up to \(count); see ulimit -n")
      }
    }
  }

  /// Starts as many threads as the command may need at a time, and ends them.
  private static func checkThreads(_ count: Int) throws(Surroundings) {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let mapped = unsafe mmap(nil, room, PROT_NONE, flags, -1, 0), unsafe mapped != MAP_FAILED
    else { throw Surroundings(description: "\(SystemError()): see ulimit -v") }
    defer { unsafe munmap(mapped, room) }
    do throws(SystemError) {
      try Thread.rehearse(count)
    } catch {
      throw Surroundings(
        description: "\(error): sonde starts up to \(count) threads; see ulimit -u and -v"
      )
    }
  }
}

extension Context {
  /// The most descriptors that the command may need beside the standard streams.
  fileprivate var descriptorsNeeded: Int {
    var count = Surroundings.descriptors
    if asksRemotely {
      count += Surroundings.remoteDescriptors + 2 * options.concurrency
    } else if options.portalURL != nil || options.webhook != nil {
      count += Surroundings.remoteDescriptors
    }
    if options.metrics != nil { count += Surroundings.metricsDescriptors }
    return count
  }

  /// The most threads that the command may need at a time.
  fileprivate var threadsNeeded: Int {
    switch command {
    case .check, .extract, .completions, .help:
      Surroundings.localThreads + 2 * Processors.available
    default: Surroundings.threads + Processors.available
    }
  }

  /// Whether the command may ask a web API.
  fileprivate var asksRemotely: Bool {
    switch command {
    case .scan, .lookup, .me, .annotate, .upgrade, .summary, .serve: options.providers != [.local]
    default: false
    }
  }
}
