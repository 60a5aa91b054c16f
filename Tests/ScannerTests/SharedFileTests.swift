import Addresses
import Foundation
import Testing

@testable import Scanner

@Suite struct SharedFileTests {
  /// Addresses and what is none, with long words and short ones between them.
  private static let text: [UInt8] = {
    var generator = SeededGenerator(state: 3)
    let words = [
      "8.8.8.8", "2001:db8::1", "fe80::1%eth0", "1.2.3.4.5", "Chrome/30.0.0.0", "::ffff:9.9.9.9",
      "[2001:db8::2]:443", "999.1.1.1", "10:05:03", "x=192.0.2.1,", "é1.1.1.1é", "_5.5.5.5",
      String(repeating: "a", count: 9000), String(repeating: "1.1.1.1:", count: 3000),
    ]
    var text = ""
    for _ in 0..<400 {
      text += words.randomElement(using: &generator) ?? ""
      text += [" ", "\n", ", ", "-", ":"].randomElement(using: &generator) ?? ""
    }
    return Array(text.utf8)
  }()

  private static func addresses(in text: [UInt8]) -> [Address] {
    var matches: [LogMatch] = []
    searchLog(text.span, into: &matches)
    return matches.map(\.address)
  }

  private struct Reading {
    var addresses: [Address] = []
    var failure: InputFailure?
  }

  /// Reads the parts of a file of this text, which was longer or shorter when it was opened.
  private static func read(
    _ text: [UInt8],
    from start: Int = 0,
    size: Int? = nil,
    partSize: Int
  ) throws -> Reading {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try Data(text).write(to: URL(filePath: path))
    let opened = try OpenFile(.file(path))
    unsafe unlink(path)
    let file = SharedFile(
      name: "log",
      opened,
      start: start,
      size: size ?? text.count,
      partSize: partSize
    )
    var (reading, buffer, index) = (Reading(), [UInt8](), 0)
    while true {
      let part = file.part(index, reusing: &buffer)
      var matches: [LogMatch] = []
      part.piece.search(into: &matches)
      reading.addresses += matches.map(\.address)
      buffer = part.piece.bytes
      index += 1
      guard part.isLast else { continue }
      reading.failure = part.failure
      return reading
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: [700, 1021, 4096, 65_536, 1 << 20])
  func `the parts give what the whole gives`(partSize: Int) throws {
    let reading = try Self.read(Self.text, partSize: partSize)
    #expect(reading.addresses == Self.addresses(in: Self.text))
    #expect(reading.failure == nil)
  }

  @Test func `an address at the border of parts is found once, wherever the border is`() throws {
    let text = Array("from 203.0.113.99 to 2001:db8::77, then fe80::1%eth0.".utf8)
    var wrong: [Int] = []
    for partSize in 1...text.count + 1 {
      let reading = try Self.read(text, partSize: partSize)
      if reading.addresses != Self.addresses(in: text) { wrong.append(partSize) }
    }
    #expect(wrong == [])
  }

  @Test func `reading begins where the descriptor was`() throws {
    let reading = try Self.read(Array("8.8.8.8 9.9.9.9".utf8), from: 8, partSize: 4)
    #expect(reading.addresses.map(\.description) == ["9.9.9.9"])
  }

  @Test func `what has been added since is read as well`() throws {
    let reading = try Self.read(Array("8.8.8.8 9.9.9.9".utf8), size: 3, partSize: 5)
    #expect(reading.addresses.map(\.description) == ["8.8.8.8", "9.9.9.9"])
    #expect(reading.failure == nil)
  }

  @Test(arguments: [2, 5, 100])
  func `a file that has become shorter gives no half of an address`(partSize: Int) throws {
    let reading = try Self.read(Array("8.8.8.8 9.9.9.9".utf8), size: 16, partSize: partSize)
    #expect(reading.addresses.map(\.description) == ["8.8.8.8"])
    #expect(reading.failure?.reason == "became shorter while it was read")
  }
}
