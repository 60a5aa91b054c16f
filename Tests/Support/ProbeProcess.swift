import Foundation

/// A process that uses what is tested, see Tests/StoreProbe and Tests/AccountsProbe.
public final class ProbeProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer: [UInt8] = []

  /// Starts a program of this package.
  public init(_ program: String, arguments: [String]) throws {
    // The program lies beside the one that runs the tests.
    let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    process.executableURL = folder.appendingPathComponent(program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { kill() }
  }

  /// Ends it as no process can prevent or notice.
  public func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The next line that it writes; `nil` at the end.
  public func nextLine() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      buffer += data
    }
  }

  /// Waits for its end, and gives the last line that it wrote.
  public func result() -> String? {
    var last: String?
    while let line = nextLine() { last = line }
    process.waitUntilExit()
    return last
  }
}
