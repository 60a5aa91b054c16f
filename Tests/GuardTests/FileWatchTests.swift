import Glibc
import SondeSystem
import TestSupport
import Testing

@testable import SondeFollow

/// What is reported of changes of files, and what a follower does with it.
@Suite struct FileWatchTests {
  private final class Bench {
    let folder: ScratchFolder
    let watch: FileWatch
    let interrupt: WakePipe
    var follower: FileFollower

    init(_ names: [String]) throws {
      folder = try ScratchFolder()
      watch = try #require(FileWatch())
      interrupt = try WakePipe()
      var rules = FollowRules()
      rules.fromStart = true
      follower = FileFollower(names.map { [folder] in folder.file($0) }, rules, watchedBy: watch)
      follower.look(now: .now)
      _ = lines()
    }

    func add(_ text: String, to name: String) throws {
      let file = try Descriptor(opening: folder.file(name), O_WRONLY | O_CREAT | O_APPEND)
      try file.write(text)
    }

    func lines() -> [String] {
      var lines: [String] = []
      while follower.read(
        atMost: 1000,
        now: .now,
        { lines.append(String(decoding: $0.bytes, as: UTF8.self)) }
      ) {}
      return lines
    }

    /// The changes so far; none within a short time if nothing happened.
    func changes() -> FileChanges {
      watch.changes(until: .now + .milliseconds(20), interruptedBy: interrupt)
    }

    /// The lines that come by what is reported alone.
    func heard() -> [String] {
      let changes = changes()
      if changes.wantsLook { follower.look(now: .now) } else { follower.hear(changes) }
      return lines()
    }
  }

  @Test func `only files with changes are read`() throws {
    let bench = try Bench(["a.log", "b.log"])
    try bench.add("a\n", to: "a.log")
    try bench.add("b\n", to: "b.log")
    #expect(bench.heard().sorted() == ["a", "b"])
    #expect(bench.heard() == [])
    try bench.add("c\n", to: "b.log")
    let changes = bench.changes()
    #expect(!changes.wantsLook && changes.written.count == 1)
    bench.follower.hear(FileChanges())
    #expect(bench.lines() == [])
    bench.follower.hear(changes)
    #expect(bench.lines() == ["c"])
  }

  @Test func `renames, truncations and new files are reported`() throws {
    let bench = try Bench(["a.log"])
    try bench.add("a\n", to: "a.log")
    #expect(bench.heard() == ["a"])
    #expect(unsafe rename(bench.folder.file("a.log"), bench.folder.file("a.log.1")) == 0)
    #expect(bench.heard() == [])
    // What is added to a file that was renamed.
    try bench.add("b\n", to: "a.log.1")
    #expect(bench.heard() == ["b"])
    try bench.add("c\n", to: "a.log")
    #expect(bench.heard() == ["c"])
    #expect(unsafe truncate(bench.folder.file("a.log"), 0) == 0)
    try bench.add("longer\n", to: "a.log")
    #expect(bench.heard() == ["longer"])
    #expect(unsafe unlink(bench.folder.file("a.log")) == 0)
    try bench.add("d\n", to: "a.log")
    #expect(bench.heard() == ["d"])
  }

  @Test func `directories that appear later are watched, again and again`() throws {
    let bench = try Bench(["one/two/a.log"])
    for text in ["a", "b"] {
      for name in ["one", "one/two"] {
        #expect(unsafe mkdir(bench.folder.file(name), 0o755) == 0)
        #expect(bench.heard() == [])
      }
      try bench.add(text + "\n", to: "one/two/a.log")
      #expect(bench.heard() == [text])
      #expect(unsafe unlink(bench.folder.file("one/two/a.log")) == 0)
      for name in ["one/two", "one"] { #expect(unsafe rmdir(bench.folder.file(name)) == 0) }
      #expect(bench.heard() == [])
    }
  }

  @Test func `lost events and unknown ones want a look`() {
    func event(_ watch: Int32, _ mask: Int32, name: String = "") -> [UInt8] {
      let words = [UInt32(bitPattern: watch), UInt32(bitPattern: mask), 0, UInt32(name.utf8.count)]
      return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        + Array(name.utf8)
    }
    func changes(_ events: [[UInt8]]) -> FileChanges {
      var changes = FileChanges()
      changes.add(Array(events.joined())[...])
      return changes
    }
    #expect(changes([event(-1, IN_Q_OVERFLOW)]).wantsLook)
    #expect(changes([event(1, IN_IGNORED)]) == FileChanges())
    let several = changes([
      event(3, IN_MODIFY), event(1, IN_CREATE, name: "a.log\0\0\0"), event(4, IN_MODIFY),
    ])
    #expect(several.wantsLook && several.written == [3, 4])
    // One that is cut off.
    #expect(changes([event(3, IN_MODIFY), [1, 2, 3]]).written == [3])
  }

  @Test func `what the system refuses is known until it is no longer needed`() throws {
    let watch = try #require(FileWatch())
    let folder = try ScratchFolder()
    var mark: FileMark? = watch.mark(folder: folder.file("none"))
    #expect(mark?.number == -1 && !watch.isComplete)
    mark = nil
    #expect(watch.isComplete)
    // Two marks of one directory are one watch.
    var others: [FileMark] = [
      watch.mark(folder: folder.file(".")), watch.mark(folder: folder.file(".")),
    ]
    #expect(others[0].number == others[1].number)
    others.removeFirst()
    #expect(unsafe mkdir(folder.file("new"), 0o755) == 0)
    let interrupt = try WakePipe()
    #expect(watch.changes(until: .now + .seconds(5), interruptedBy: interrupt).wantsLook)
  }
}
