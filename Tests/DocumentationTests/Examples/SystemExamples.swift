import Glibc
import SondeSystem
import TestSupport
import Testing

@Suite struct SystemExamples {
  @Test func descriptor() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/list.txt"
    // example: Descriptor
    let file = try Descriptor(opening: path, O_WRONLY | O_CREAT, mode: 0o600)
    let status = try file.status()
    #expect(status.isRegular && status.size == 0)
    // The same file by its path, unless somebody has put another in its place.
    #expect(FileStatus(path: path)?.identity == status.identity)
    // end
  }

  @Test func fileLock() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/journal"
    // example: FileLock
    let mine = try Descriptor(opening: path, O_RDWR | O_CREAT)
    let another = try Descriptor(opening: path, O_RDWR)
    #expect(try FileLock.tryLock(mine.number))
    #expect(try !FileLock.tryLock(another.number))
    FileLock.unlock(mine.number)
    #expect(try FileLock.tryLock(another.number))
    // end
  }

  @Test func outputFile() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/records"
    // example: OutputFile
    let output = try OutputFile(opening: path, O_WRONLY | O_CREAT)
    #expect(throws: OutputFileError.busy) { _ = try OutputFile(opening: path, O_WRONLY) }
    #expect(OutputFile.isBusy(path) && output.isInPlace)
    // end
  }

  @Test func wakePipe() throws {
    // example: WakePipe
    let pipe = try WakePipe()
    let thread = try Thread { pipe.ring() }
    // A negative descriptor is never ready: only the ring ends this wait.
    #expect(pipe.wait(for: .reading, of: -1) == .rung)
    thread.join()
    // end
  }

  @Test func interruption() throws {
    // example: Interruption
    let interruption = Interruption()
    // Would wait for ever.
    let thread = try Thread { _ = interruption.run { Int(pause()) } }
    interruption.end()
    thread.join()
    #expect(interruption.isOver)
    // end
  }

  @Test func blockingExecutor() async {
    // example: BlockingExecutor
    actor LineCounter {
      private let executor = BlockingExecutor(label: "example")
      nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
      }

      /// May block: it holds a thread of its own, and none of Swift's.
      func wait(_ microseconds: UInt32) -> Int32 { usleep(microseconds) }
    }
    #expect(await LineCounter().wait(1000) == 0)
    // end
  }

  @Test func checksum() {
    // example: Checksum
    var whole = Checksum()
    whole.update("8.8.8.8\n9.9.9.9\n".utf8Span.span)
    var inTwo = Checksum()
    inTwo.update("8.8.8".utf8Span.span)
    inTwo.update(".8\n9.9.9.9\n".utf8Span.span)
    #expect(inTwo.value == whole.value)
    // end
  }

  @Test func keyedHash() throws {
    // example: KeyedHash
    let hash = try #require(KeyedHash(key: KeyedHash.randomKey()))
    let other = try #require(KeyedHash(key: KeyedHash.randomKey()))
    let token = Array("test-token".utf8)
    #expect(hash.hash(token) == hash.hash(token))
    #expect(hash.hash(token) != other.hash(token))
    // end
  }

  @Test func dynamicLibrary() {
    // example: DynamicLibrary
    struct Functions {
      var version: @convention(c) () -> Int32
    }
    let library = DynamicLibrary("libnone.so.9", package: "libnone9")
    let error = #expect(throws: LibraryError.self) {
      unsafe try "none_version".withCString { name in
        unsafe try withUnsafePointer(to: name) { names in
          _ = unsafe try library.load(names, as: Functions.self)
        }
      }
    }
    #expect(error?.description.hasSuffix("install libnone9") == true)
    // end
  }
}
