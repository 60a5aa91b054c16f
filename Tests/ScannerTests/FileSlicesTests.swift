import SondeAddresses
import Foundation
import TestSupport
import Testing

@testable import SondeInputs
@testable import SondeLogs
@testable import SondeRecords

@Suite struct FileSlicesTests {
  /// Addresses and what is none, with long words and short ones between them.
  private static let text: [UInt8] = {
    var generator = SeededGenerator(seed: 3)
    let words = [
      "8.8.8.8", "2001:db8::1", "fe80::1%eth0", "1.2.3.4.5", "Chrome/30.0.0.0", "::ffff:9.9.9.9",
      "[2001:db8::2]:443", "999.1.1.1", "10:05:03", "x=192.0.2.1,", "é1.1.1.1é", "_5.5.5.5",
      String(repeating: "a", count: 18_000), String(repeating: "1.1.1.1:", count: 3000),
    ]
    var text = ""
    for _ in 0..<150 {
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
    var lines = 0
    var failure: InputError?
  }

  /// Reads the slices of a file of this text, which was longer or shorter when it was opened.
  private static func read(
    _ text: [UInt8],
    range: Range<Int>? = nil,
    size: Int? = nil,
    sliceSize: Int
  ) throws -> Reading {
    let scratch = try ScratchFile(text)
    let opened = try OpenFile(.file(scratch.path))
    let file = FileSlices(
      opened,
      name: "log",
      range: range,
      size: size ?? text.count,
      sliceSize: sliceSize
    )
    var (reading, slice, index) = (Reading(), LogSlice(), 0)
    while true {
      let step = file.read(index, into: &slice)
      slice.search()
      reading.addresses += slice.matches.map(\.address)
      reading.lines += slice.lines().ends
      index += 1
      guard step.isLast else { continue }
      reading.failure = step.failure
      return reading
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: [700, 1021, 4096, 65_536, 1 << 20])
  func `the slices give what the whole gives`(sliceSize: Int) throws {
    let reading = try Self.read(Self.text, sliceSize: sliceSize)
    #expect(reading.addresses == Self.addresses(in: Self.text))
    #expect(reading.failure == nil)
  }

  @Test func `an address at the border of slices is found once, wherever the border is`() throws {
    let text = Array("from 203.0.113.99 to 2001:db8::77, then fe80::1%eth0.".utf8)
    var wrong: [Int] = []
    for sliceSize in 1...text.count + 1 {
      let reading = try Self.read(text, sliceSize: sliceSize)
      if reading.addresses != Self.addresses(in: text) { wrong.append(sliceSize) }
    }
    #expect(wrong == [])
  }

  @Test func `a range holds the lines that begin in it, each once`() throws {
    let text = Array("8.8.8.8\n\n1.1.1.1 x\r\n9.9.9.9 4.4.4.4\nno address\n5.5.5.5".utf8)
    let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false)
    var start = 0
    let starts = lines.map { line in
      defer { start += line.count + 1 }
      return start
    }
    var wrong: [Range<Int>] = []
    for lower in 0...text.count + 2 {
      for upper in [lower, lower + 1, lower + 9, text.count, .max] where upper >= lower {
        let range = lower..<upper
        let inside = zip(starts, lines).filter { range.contains($0.0) }.map(\.1)
        let expected = Self.addresses(in: Array(inside.joined(separator: [0x0a])))
        for sliceSize in [1, 7, 64, 1 << 20] {
          let reading = try Self.read(text, range: range, sliceSize: sliceSize)
          if reading.addresses != expected || reading.failure != nil { wrong.append(range) }
        }
      }
    }
    #expect(wrong == [])
  }

  @Test func `ranges beside each other hold what the whole holds`() throws {
    let (text, whole) = (Self.text, Self.addresses(in: Self.text))
    let lines = text.count { $0 == 0x0a }
    for size in [997, 65_536, 300_000] {
      let readings = try stride(from: 0, to: text.count, by: size).map { offset in
        try Self.read(text, range: offset..<offset + size, sliceSize: 4096)
      }
      #expect(readings.flatMap(\.addresses) == whole)
      #expect(readings.map(\.lines).reduce(0, +) == lines)
    }
  }

  @Test func `a line begins where it does, however many slices it fills`() throws {
    let text = Array("\n\n8.8.8.8 1.1.1.1\r\n\nno address 9.9.9.9\n4.4.4.4 ::1 5.5.5.5".utf8)
    let expected: [UInt64] = [2, 2, 20, 39, 39, 39]
    var rules = EntryRules()
    rules.keepsDuplicates = true
    var wrong: [Int] = []
    for sliceSize in 1...text.count + 1 {
      let scratch = try ScratchFile(text)
      let file = FileSlices(try OpenFile(.file(scratch.path)), name: "log", sliceSize: sliceSize)
      var (slice, entries, offsets) = (LogSlice(), LogEntries(rules: rules), [UInt64?]())
      for index in 0... {
        let isLast = file.read(index, into: &slice).isLast
        slice.search()
        let run = entries.pick(LogFindings(slice, wantsOffsets: true, nil))
        offsets += run.entries().block.records.map(\.place.offset)
        if isLast { break }
      }
      if offsets != expected { wrong.append(sliceSize) }
    }
    #expect(wrong == [])
  }

  @Test func `what has been added since is read as well`() throws {
    let reading = try Self.read(Array("8.8.8.8 9.9.9.9".utf8), size: 3, sliceSize: 5)
    #expect(reading.addresses.map(\.description) == ["8.8.8.8", "9.9.9.9"])
    #expect(reading.failure == nil)
  }

  @Test(arguments: [2, 5, 100])
  func `a file that has become shorter gives no half of an address`(sliceSize: Int) throws {
    let reading = try Self.read(Array("8.8.8.8 9.9.9.9".utf8), size: 16, sliceSize: sliceSize)
    #expect(reading.addresses.map(\.description) == ["8.8.8.8"])
    #expect(reading.failure?.reason == "became shorter while it was read")
  }
}
