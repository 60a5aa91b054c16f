import Glibc
public import SondeSystem
import Synchronization

/// What may have changed of followed files.
public struct FileChanges: Sendable, Equatable {
  /// Whether names may be those of other files, or anything may have changed.
  public internal(set) var wantsLook = false
  /// The watches of files that were written to.
  var written: Set<Int32> = []

  /// No change.
  public init() {}
}

/// Waits for changes of files and directories, by inotify(7).
///
/// It reports no change that another machine makes in a network file system, or that is made in memory
/// that maps a file, so all files are to be looked at from time to time.
public final class FileWatch: Sendable {
  private struct State {
    /// The number of marks of each watch: all those of one file share it.
    var marks: [Int32: Int] = [:]
    /// The number of marks that the system refused, for there are too many.
    var refused = 0
  }

  private let descriptor: Descriptor
  private let state = Mutex(State())

  /// Begins to watch; `nil` where the system allows no more, so that only looking helps.
  public init?() {
    let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard number >= 0 else { return nil }
    descriptor = Descriptor(owning: number)
  }

  /// Whether all is watched that is to be.
  public var isComplete: Bool { state.withLock { $0.refused == 0 } }

  /// Watches an open file, under whatever name, while the result is kept.
  func mark(_ file: OpenedFile) -> FileMark {
    mark("/proc/self/fd/\(file.number)", IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF)
  }

  /// Watches the names in a directory.
  func mark(folder: String) -> FileMark {
    mark(
      folder,
      IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_MOVE_SELF | IN_DELETE_SELF
        | IN_ONLYDIR
    )
  }

  private func mark(_ path: String, _ mask: Int32) -> FileMark {
    state.withLock { state in
      let number = unsafe inotify_add_watch(descriptor.number, path, UInt32(mask))
      if number < 0 { state.refused += 1 } else { state.marks[number, default: 0] += 1 }
      return FileMark(number, of: self)
    }
  }

  fileprivate func remove(_ number: Int32) {
    state.withLock { state in
      guard number >= 0 else { return state.refused -= 1 }
      let left = (state.marks[number] ?? 1) - 1
      state.marks[number] = left > 0 ? left : nil
      // The system may have removed it with its file.
      if left == 0 { _ = inotify_rm_watch(descriptor.number, number) }
    }
  }

  /// Waits for a change until a time, or until the wait is rung; then all changes so far are taken.
  public func changes(
    until deadline: ContinuousClock.Instant,
    interruptedBy interrupt: WakePipe
  ) -> FileChanges {
    var changes = FileChanges()
    guard interrupt.wait(for: .reading, of: descriptor.number, until: deadline) == .ready else {
      return changes
    }
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = unsafe read(descriptor.number, &bytes, bytes.count)
      guard count > 0 else { return changes }
      changes.add(bytes[..<count])
    }
  }
}

/// The watch of a file or a directory, which ends with it.
final class FileMark: Sendable {
  /// The number of the watch; negative if the system refused it.
  let number: Int32
  private let watch: FileWatch

  fileprivate init(_ number: Int32, of watch: FileWatch) {
    (self.number, self.watch) = (number, watch)
  }

  deinit { watch.remove(number) }
}

extension FileChanges {
  /// The length of `inotify_event` without the name.
  private static let headLength = 16

  /// Takes events as the system writes them: watch, mask, cookie, and the length of a name that follows.
  mutating func add(_ events: ArraySlice<UInt8>) {
    var place = events.startIndex
    while place + Self.headLength <= events.endIndex {
      let word = { (offset: Int) -> UInt32 in
        (0..<4).reduce(0) { $0 | UInt32(events[place + offset + $1]) << UInt32(8 * $1) }
      }
      let mask = Int32(bitPattern: word(4))
      if mask & IN_MODIFY != 0 {
        written.insert(Int32(bitPattern: word(0)))
      } else if mask & IN_IGNORED == 0 {
        // Also where events were lost, for the queue was full.
        wantsLook = true
      }
      place += Self.headLength + Int(word(12))
    }
  }
}
