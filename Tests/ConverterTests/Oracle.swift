import Foundation
import TestSupport
import Testing

/// So many random conversions as oracle.py calculates them: amount, two prices and nominals, result.
///
/// - Throws: Where there is no Python.
func conversions(_ count: Int) throws -> [String] {
  let answer = try ScratchFile()
  let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "oracle.py")
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["python3", script.path(), "\(count)"]
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = try FileHandle(forWritingTo: URL(filePath: answer.path))
  try process.run()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0, "python3 and oracle.py are needed")
  return String(decoding: try contents(of: answer.path), as: UTF8.self)
    .split(separator: "\n").map(String.init)
}
