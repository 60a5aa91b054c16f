import Glibc
import System

/// What the system must grant before a command begins.
///
/// Dispatch and others trap, or wait for ever, when there is no descriptor or thread for them; so it
/// is made sure of first, and said clearly where it is not so.
struct Surroundings: Error, CustomStringConvertible {
  /// What is missing, for a person.
  let description: String

  /// Descriptors that a command needs beside the standard streams: inputs, outputs, an event loop.
  private static let descriptors = 16
  /// Those that asking a web API takes besides, without its connections.
  private static let remoteDescriptors = 24
  /// Address space for the stacks and heaps of a command's threads, in bytes.
  private static let room = 256 << 20

  /// Makes sure of descriptors and of room for threads.
  static func check(for context: Context) throws(Surroundings) {
    let connections = 2 * context.options.concurrency
    let count = descriptors + (context.asksRemotely ? remoteDescriptors + connections : 0)
    var open: [Descriptor] = []
    for _ in 0..<count {
      do throws(SystemError) {
        open.append(try Descriptor(opening: "/dev/null", O_RDONLY))
      } catch {
        throw Surroundings(description: "\(error): sonde opens up to \(count); see ulimit -n")
      }
    }
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let mapped = unsafe mmap(nil, room, PROT_NONE, flags, -1, 0), unsafe mapped != MAP_FAILED
    else { throw Surroundings(description: "\(SystemError()): see ulimit -v") }
    unsafe munmap(mapped, room)
  }
}

extension Context {
  /// Whether the command may ask a web API.
  fileprivate var asksRemotely: Bool {
    switch command {
    case .scan, .lookup, .me, .upgrade: options.providers != [.local]
    default: false
    }
  }
}
