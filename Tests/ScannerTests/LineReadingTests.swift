import SondeAddresses
import TestSupport
import Testing

@testable import SondeAnnotate
@testable import SondeInputs
@testable import SondeLogs
@testable import SondeRecords

/// What of texts is cut into blocks of whole lines.
@Suite struct LineReadingTests {
  private static let style = BracketStyle(
    encoder: RecordEncoder(format: .inline, fields: [.countryCode]),
    dims: false
  )

  /// The blocks of a file, and what went wrong with it.
  private func blocks(
    of bytes: [UInt8],
    range: Range<Int>? = nil
  ) throws -> (blocks: [LineBlock], failure: InputError?) {
    let file = try ScratchFile(bytes)
    let inputs = InputSet(opening: [.file(file.path)], range: range)
    let source = try LineSource(inputs, style: Self.style)
    var (blocks, failure): ([LineBlock], InputError?) = ([], nil)
    var slice = LineSlice()
    while let step = try source.next(into: &slice) {
      slice.search()
      blocks.append(slice.block.take())
      failure = step.failure
      source.allowLongLine(behind: step.number + 1)
    }
    return (blocks, failure)
  }

  @Test(arguments: [0, 1, 100, 262_143, 262_144, 262_145, 1_000_000, 3_000_000])
  func `blocks are the file, each whole lines`(size: Int) throws {
    var generator = SeededGenerator(seed: UInt64(size))
    var bytes: [UInt8] = []
    while bytes.count < size {
      let length = Int.random(in: 0..<400, using: &generator)
      for _ in 0..<length { bytes.append(UInt8.random(in: 11...255, using: &generator)) }
      bytes.append(0x0a)
    }
    bytes.removeLast(bytes.count - size)
    let (blocks, failure) = try blocks(of: bytes)
    #expect(failure == nil)
    #expect(blocks.flatMap(\.bytes) == bytes)
    #expect(blocks.dropLast().allSatisfy { $0.bytes.last == 0x0a })
    #expect(blocks.reduce(0) { $0 + $1.lineCount } == bytes.span.countLines())
  }

  @Test func `a line that is too long passes in blocks, and counts as one`() throws {
    let long = [UInt8](repeating: 0x20, count: 40 << 20)
    let bytes = Array("8.8.8.8\n".utf8) + long + Array("8.8.8.8\n1.1.1.1\nx".utf8)
    let (blocks, _) = try blocks(of: bytes)
    #expect(blocks.flatMap(\.bytes) == bytes)
    #expect(blocks.reduce(0) { $0 + $1.lineCount } == 4)
    #expect(blocks.reduce(0) { $0 + $1.lines.count } == 2)
    #expect(blocks.allSatisfy { $0.bytes.count <= 32 << 20 })
  }
}
