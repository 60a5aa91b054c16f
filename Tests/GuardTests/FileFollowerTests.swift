import Glibc
import SondeFollow
import SondeSystem
import TestSupport
import Testing

/// What a follower reads through changes of its files, and after restarts from its positions.
@Suite struct FileFollowerTests {
  private final class Bench {
    let folder: ScratchFolder
    var rules = FollowRules()
    var names: [String]
    var follower: FileFollower
    var now = ContinuousClock.now

    init(_ names: [String] = ["a.log"]) throws {
      folder = try ScratchFolder()
      (rules.fromStart, rules.longestLine) = (true, 100)
      self.names = names.map { [folder] in folder.file($0) }
      follower = FileFollower(self.names, rules)
    }

    func add(_ text: String, to name: String = "a.log") throws {
      let file = try Descriptor(opening: folder.file(name), O_WRONLY | O_CREAT | O_APPEND)
      try file.write(text)
    }

    func move(_ name: String, to other: String) {
      #expect(unsafe rename(folder.file(name), folder.file(other)) == 0)
    }

    func copy(_ name: String, to other: String) throws {
      try add(String(decoding: try folder.bytes(name), as: UTF8.self), to: other)
    }

    func truncate(_ name: String = "a.log") {
      #expect(unsafe Glibc.truncate(folder.file(name), 0) == 0)
    }

    /// Another follower that goes on where this one was.
    func restart() {
      rules.known = follower.names
      follower = FileFollower(names, rules, from: follower.positions)
    }

    /// The lines that come, after a time.
    func lines(after time: Duration = .seconds(20)) -> [String] {
      now += time
      var lines: [String] = []
      follower.look(now: now)
      while follower.read(
        atMost: 1000,
        now: now,
        { lines.append(String(decoding: $0.bytes, as: UTF8.self)) }
      ) {}
      return lines
    }
  }

  @Test func `lines count once their ends are there`() throws {
    let bench = try Bench()
    #expect(bench.lines() == [])
    try bench.add("a\nb")
    #expect(bench.lines() == ["a"])
    try bench.add("c\n\nd\r\n")
    #expect(bench.lines() == ["bc", "", "d\r"])
    #expect(bench.lines() == [])
  }

  @Test func `lines that are too long are left out`() throws {
    let bench = try Bench()
    try bench.add(String(repeating: "x", count: 101) + "\na\n" + String(repeating: "y", count: 100))
    #expect(bench.lines() == ["a"])
    try bench.add("\n" + String(repeating: "z", count: 600_000))
    #expect(bench.lines() == [String(repeating: "y", count: 100)])
    bench.restart()
    try bench.add("z\nb\n")
    #expect(bench.lines() == ["b"])
    #expect(bench.follower.leftOut == 1)
  }

  @Test(arguments: [false, true]) func `a rename is followed`(isUnseen: Bool) throws {
    let bench = try Bench()
    try bench.add("a\n")
    #expect(bench.lines() == ["a"])
    try bench.add("b\nlast")
    bench.move("a.log", to: "a.log.2")
    try bench.add("between\n", to: "a.log.1")
    try bench.add("c\n")
    if isUnseen { bench.restart() }
    #expect(bench.lines(after: .zero) == ["b", "between", "c"])
    // A file that may still grow is held for a while.
    try bench.add(" one\n", to: "a.log.2")
    #expect(bench.lines(after: .zero) == ["last one"])
    #expect(bench.lines() == [])
    #expect(!bench.follower.hasRotated)
  }

  @Test func `the last line of a file that was rotated away needs no end`() throws {
    let bench = try Bench()
    try bench.add("a")
    #expect(bench.lines() == [])
    bench.move("a.log", to: "a.log.1")
    try bench.add("b\n")
    #expect(bench.lines(after: .zero) == ["b"])
    #expect(bench.lines() == ["a"])
    #expect(bench.lines() == [])
  }

  @Test(arguments: [false, true]) func `a truncation is followed`(isUnseen: Bool) throws {
    let bench = try Bench()
    try bench.add("a\n")
    #expect(bench.lines() == ["a"])
    try bench.add("b\n")
    try bench.copy("a.log", to: "a.log.1")
    bench.truncate()
    // Longer than before, so that only the content tells.
    try bench.add("cc\ndd\nee\n")
    if isUnseen { bench.restart() }
    #expect(bench.lines() == ["b", "cc", "dd", "ee"])
    bench.restart()
    #expect(bench.lines() == [])
    #expect(bench.follower.takeNews() == [])
  }

  /// A short log, soon after its name was that of another one.
  private func renamed() throws -> Bench {
    let bench = try Bench()
    try bench.add("a\n")
    #expect(bench.lines() == ["a"])
    bench.move("a.log", to: "a.log.1")
    try bench.add("b\n")
    #expect(bench.lines(after: .milliseconds(1)) == ["b"])
    return bench
  }

  @Test(arguments: [false, true])
  func `a short log that is copied soon after a rename is read once`(
    isUnseen: Bool
  ) throws {
    let bench = try renamed()
    if isUnseen { bench.restart() }
    try bench.add("c\n")
    try bench.copy("a.log", to: "a.log.2")
    bench.truncate()
    #expect(bench.lines(after: .milliseconds(1)) == ["c"])
    try bench.add("d\n")
    #expect(bench.lines(after: .milliseconds(1)) == ["d"])
  }

  @Test func `a short log that is copied, and then renamed, is read once`() throws {
    let bench = try renamed()
    try bench.add("c\n")
    try bench.copy("a.log", to: "a.log.2")
    bench.truncate()
    bench.move("a.log", to: "a.log.3")
    try bench.add("d\n")
    #expect(bench.lines(after: .milliseconds(1)) == ["c", "d"])
    #expect(bench.lines(after: .milliseconds(1)) == [])
  }

  @Test(arguments: [false, true]) func `a log that is copied, filled and renamed is read once`(
    isUnseen: Bool
  ) throws {
    let bench = try Bench()
    try bench.add("a1\na2\n")
    #expect(bench.lines() == ["a1", "a2"])
    if isUnseen { bench.restart() }
    try bench.add("a3\n")
    try bench.copy("a.log", to: "a.log.1")
    bench.truncate()
    try bench.add("b\n")
    bench.move("a.log", to: "a.log.2")
    try bench.add("c\n")
    #expect(bench.lines(after: .milliseconds(1)) == ["a3", "b", "c"])
    bench.restart()
    #expect(bench.lines() == [])
  }

  @Test func `a copy over a rotated file is read once`() throws {
    let bench = try Bench()
    try bench.add("a\n")
    #expect(bench.lines() == ["a"])
    bench.move("a.log", to: "a.log.1")
    try bench.add("")
    #expect(bench.lines(after: .milliseconds(1)) == [])
    try bench.add("b\n")
    bench.truncate("a.log.1")
    try bench.copy("a.log", to: "a.log.1")
    #expect(bench.lines(after: .milliseconds(1)) == ["b"])
    bench.truncate()
    try bench.add("c\n")
    #expect(bench.lines(after: .milliseconds(1)) == ["c"])
  }

  @Test func `each line comes once, whatever is rotated and restarted within milliseconds`() throws
  {
    let first = UInt64.random(in: 0..<1 << 32)
    for seed in first..<first + 300 {
      var generator = SeededGenerator(seed: seed)
      let bench = try Bench()
      var (lines, found): ([String], [String]) = (["begin"], [])
      func add() throws {
        lines.append("\(lines.count) \(UInt32.random(in: 0 ... .max, using: &generator))")
        try bench.add(lines[lines.count - 1] + "\n")
      }
      try bench.add("begin\n")
      found += bench.lines()
      for rotation in 1...14 {
        for _ in 0..<Int.random(in: 0..<4, using: &generator) { try add() }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
          bench.move("a.log", to: "a.log.\(rotation)")
          try bench.add("")
        case 1:
          if Bool.random(using: &generator) { found += bench.lines(after: .milliseconds(1)) }
          try add()
          try bench.copy("a.log", to: "a.log.\(rotation)")
          bench.truncate()
        case 2: found += bench.lines(after: .milliseconds(1))
        case 3: found += bench.lines(after: .milliseconds(1200))
        default: break
        }
        if Int.random(in: 0..<4, using: &generator) == 0 { bench.restart() }
      }
      found += bench.lines(after: .milliseconds(1)) + bench.lines() + bench.lines()
      #expect(found.sorted() == lines.sorted(), "seed \(seed)")
    }
  }

  @Test func `what is gone is reported`() throws {
    let bench = try Bench()
    try bench.add("a\n")
    #expect(bench.lines() == ["a"])
    bench.truncate()
    try bench.add("other\n")
    bench.restart()
    #expect(bench.lines() == ["other"])
    #expect(bench.follower.takeNews() == [.lost(path: bench.folder.file("a.log"), offset: 2)])
  }

  @Test func `a pattern reads no file twice`() throws {
    let bench = try Bench(["*.log*"])
    try bench.add("a\n")
    try bench.add("b\n", to: "b.log")
    #expect(bench.lines().sorted() == ["a", "b"])
    bench.move("a.log", to: "a.log.1")
    try bench.copy("b.log", to: "b.log.1")
    try bench.add("c\n")
    #expect(bench.lines() == ["c"])
    bench.restart()
    bench.move("a.log.1", to: "a.log.2")
    bench.move("a.log", to: "a.log.1")
    try bench.add("d\n")
    #expect(bench.lines() == ["d"])
    #expect(bench.lines() == [])
  }

  @Test func `files that are there when first named are read from their ends`() throws {
    let bench = try Bench(["a.log", "b.log"])
    bench.rules.fromStart = false
    bench.restart()
    bench.rules.known = []
    bench.follower = FileFollower(bench.names, bench.rules)
    try bench.add("a\nb")
    #expect(bench.lines() == [])
    try bench.add("\n")
    try bench.add("c\n", to: "b.log")
    #expect(bench.lines() == ["b", "c"])
  }
}
