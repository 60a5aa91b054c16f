import Glibc
import SondeSystem
import TestSupport
import Testing

@testable import SondeOutputs

@Suite struct JournalTests {
  /// A journal, and the output that it tells of.
  private struct Job {
    private static let scan = ScanJob(options: [], inputs: [])
    let folder: ScratchFolder
    var journal: Journal?
    var stream: StreamMark
    var sink: (any RecordSink)?

    init() throws {
      folder = try ScratchFolder()
      journal = try .begin(path: folder.file("out.journal"), job: Self.scan)
      sink = try Sink(path: folder.file("out"))
      stream = StreamMark()
    }

    /// Writes and records a line.
    mutating func write(_ text: String) async throws {
      try await sink?.write(Array(text.utf8))
      stream.take(Array(text.utf8), isHashed: true)
      try journal?.record { checkpoint in
        checkpoint.main = stream.output
        checkpoint.firstUnwritten += 1
      }
    }

    /// Goes on in another run.
    mutating func resume() throws -> Checkpoint {
      (journal, sink) = (nil, nil)
      let (journal, sinks, _) = try Journal.resume(
        path: folder.file("out.journal"),
        job: Self.scan,
        inputs: [],
        outputs: OutputPaths(main: .init(folder.file("out")))
      )
      (self.journal, sink) = (journal, sinks.main)
      return journal.checkpoint
    }

    /// Cuts the output, as a power failure would.
    func cut(to length: Int) { _ = unsafe truncate(folder.file("out"), length) }
  }

  @Test func `what is recorded is gone on with`() async throws {
    var job = try Job()
    for _ in 0..<5 { try await job.write("line\n") }
    let checkpoint = try job.resume()
    #expect((checkpoint.firstUnwritten, checkpoint.main.length) == (5, 25))
  }

  @Test func `an output behind the journal goes on at the last checkpoint`() async throws {
    var job = try Job()
    for number in 0..<20 {
      try await job.write("line\n")
      if number % 5 == 4, number < 15 { try job.journal?.sync(begun: .now) }
    }
    job.cut(to: 78)
    var checkpoint = try job.resume()
    #expect(checkpoint.firstUnwritten == 15)
    #expect(try job.folder.text("out").utf8.count == 75)
    job.cut(to: 60)
    checkpoint = try job.resume()
    #expect(checkpoint.firstUnwritten == 10)
    // What is recorded from here on is the newest again.
    job.stream = StreamMark(hash: try #require(job.journal).hashes.main, isEmpty: false)
    job.cut(to: 50)
    try await job.write("other\n")
    checkpoint = try job.resume()
    #expect((checkpoint.firstUnwritten, checkpoint.main.length) == (11, 56))
  }

  @Test func `without a checkpoint only an empty output goes on, from the beginning`() async throws
  {
    var job = try Job()
    for _ in 0..<5 { try await job.write("line\n") }
    job.cut(to: 3)
    #expect(throws: ResumeError.self) { _ = try job.resume() }
    #expect(try job.folder.text("out") == "lin")
    job.cut(to: 0)
    let checkpoint = try job.resume()
    #expect(checkpoint.firstUnwritten == 0)
  }

  @Test func `an entry that is too large leaves the last ones as they are`() async throws {
    var job = try Job()
    try await job.write("line\n")
    for count in [70_000, 140_000] as [UInt64] {
      try job.journal?.record { checkpoint in
        checkpoint.ahead = (1...count).map {
          2 * $0 + checkpoint.firstUnwritten..<2 * $0 + checkpoint.firstUnwritten + 1
        }
      }
    }
    let checkpoint = try job.resume()
    #expect((checkpoint.firstUnwritten, checkpoint.ahead) == (1, []))
  }

  @Test func `a journal of another process is not begun anew`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("journal")
    let first = try Journal.begin(path: path, job: ScanJob(options: [], inputs: []))
    let error = #expect(throws: ResumeError.self) {
      _ = try Journal.begin(path: path, job: ScanJob(options: [], inputs: []))
    }
    #expect(error?.outputError?.isBusy == true)
    first.remove()
    _ = try Journal.begin(path: path, job: ScanJob(options: [], inputs: []))
  }

  @Test func `a journal without an entry has not been begun`() throws {
    let folder = try ScratchFolder()
    let (whole, torn) = (folder.file("whole"), folder.file("torn"))
    #expect(!Journal.isBegun(path: torn))
    for path in [whole, torn] {
      _ = try Journal.begin(path: path, job: ScanJob(options: [], inputs: []))
      #expect(Journal.isBegun(path: path))
    }
    let size = try #require(FileStatus(path: whole)).size
    // What is written before the first checkpoint.
    try #require(unsafe truncate(torn, 0) == 0 && truncate(torn, size) == 0)
    #expect(!Journal.isBegun(path: torn))
    _ = try Journal.begin(path: torn, job: ScanJob(options: [], inputs: []))
    #expect(Journal.isBegun(path: torn))
  }
}
