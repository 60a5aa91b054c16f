import Foundation
import Testing

/// The simulator of the providers, on loopback, as long as this lives.
final class Simulator {
  /// Where it stands in for ip-api.com.
  let ipAPI: String

  private let process = Process()
  /// It ends when this closes.
  private let input = Pipe()

  init() throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [Tree.root + "/Tests/Simulator"]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let line = output.fileHandleForReading.availableData
    let ready = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
    ipAPI = try #require(ready["ip_api"] as? String)
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
