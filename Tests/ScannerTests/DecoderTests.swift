import TestSupport
import Testing

@testable import SondeInputs

@Suite struct DecoderTests {
  /// Bytes that pack well, and some that do not.
  private func sample(_ seed: UInt64, _ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { index in
      index % 100 < 20 ? UInt8.random(in: 0...255, using: &generator) : UInt8(index / 100 & 0xff)
    }
  }

  private func attempt(_ format: Compression, _ packed: [UInt8], piece: Int = .max) -> [UInt8]? {
    try? format.unpack(packed, piece: { piece })
  }

  @Test(arguments: Compression.allCases)
  func `what was packed comes out, in pieces of any size`(format: Compression) throws {
    for seed in 1...12 as ClosedRange<UInt64> {
      let bytes = sample(seed, 3_000)
      let packed = format.pack(bytes)
      var generator = SeededGenerator(seed: seed)
      var other = SeededGenerator(seed: seed + 100)
      let most = [1, 3, 50, 5_000][Int(seed) % 4]
      let unpacked = try format.unpack(
        packed,
        piece: { Int.random(in: 1...most, using: &generator) },
        room: { Int.random(in: 1...most, using: &other) }
      )
      #expect(unpacked == bytes)
    }
    #expect(try format.unpack(format.pack([])) == [])
  }

  @Test(arguments: Compression.allCases)
  func `several members are one input`(format: Compression) throws {
    let parts = [sample(1, 500), [], sample(2, 7), sample(3, 2_000)]
    let packed = parts.flatMap { format.pack($0) }
    for piece in [1, 2, 13, 400, .max] {
      #expect(try format.unpack(packed, piece: { piece }) == parts.flatMap(\.self))
    }
  }

  @Test(arguments: Compression.allCases)
  func `an input cut off anywhere is cut short`(format: Compression) {
    let packed = format.pack(sample(4, 200)) + format.pack(sample(5, 60))
    let first = format.pack(sample(4, 200)).count
    var wrong: [Int] = []
    // Between the two nothing is missing.
    for count in 1..<packed.count where count != first {
      for piece in [1, 64, .max] {
        do throws(DecoderError) {
          _ = try format.unpack(Array(packed.prefix(count)), piece: { piece })
          wrong.append(count)
        } catch {
          if error != .cutShort { wrong.append(count) }
        }
      }
    }
    #expect(wrong == [])
  }

  @Test(arguments: Compression.allCases)
  func `a damaged input never gives other bytes without an error`(format: Compression) {
    let bytes = sample(6, 400)
    let packed = format.pack(bytes)
    var wrong: [Int] = []
    for position in packed.indices {
      for bit in [0, 3, 7] {
        var damaged = packed
        damaged[position] ^= 1 << UInt8(bit)
        // Without a checksum (zstd's default) other bytes may come out; nothing else may happen.
        let unpacked = attempt(format, damaged)
        if format != .zstd, let unpacked, unpacked != bytes { wrong.append(position) }
      }
    }
    #expect(wrong == [])
  }

  @Test(arguments: Compression.allCases)
  func `what stands behind the packed data is an error, however it is cut`(format: Compression) {
    for garbage in [
      Array("8.8.8.8\n8.8.8.8\n".utf8), [0xff], [0, 0, 0, 0, 0x38, 0x38, 0x38, 0x38],
    ] {
      let packed = format.pack(sample(7, 300)) + garbage
      for piece in [1, 3, 7, .max] {
        let isRead = attempt(format, packed, piece: piece) != nil
        #expect(!isRead, "\(garbage.count) bytes, \(piece) at a time")
      }
    }
  }

  @Test func `zeros behind gzip are padding, before another member as well`() {
    let (first, second) = (sample(8, 300), sample(9, 200))
    let zeros = [UInt8](repeating: 0, count: 1000)
    let (one, two) = (Compression.gzip.pack(first), Compression.gzip.pack(second))
    for piece in [1, 7, 400, .max] {
      let isPadding = attempt(.gzip, one + zeros, piece: piece) == first
      let isBetween = attempt(.gzip, one + zeros + two, piece: piece) == first + second
      #expect(isPadding && isBetween, "\(piece) bytes at a time")
    }
  }

  @Test func `xz streams may be padded with four zeros at a time`() {
    let (one, two) = (Compression.xz.pack([1]), Compression.xz.pack([2]))
    for piece in [1, 7, .max] {
      #expect(attempt(.xz, one + [0, 0, 0, 0] + two, piece: piece) == [1, 2])
      #expect(attempt(.xz, one + [0, 0, 0], piece: piece) == nil)
    }
  }

  @Test(arguments: Compression.allCases)
  func `all of the text comes before what stands behind the packed data`(format: Compression) {
    let bytes = sample(7, 300)
    let packed = format.pack(bytes) + Array("8.8.8.8\n".utf8)
    for piece in [1, 3, .max] {
      do throws(DecoderError) {
        _ = try format.unpack(packed, piece: { piece })
        Issue.record("\(format) takes what is not \(format)")
      } catch {
        #expect(error == .garbage(behind: format))
        #expect(error.isBehindText)
      }
    }
  }

  @Test func `a dictionary over the limit is named as such, not as damage`() throws {
    let packed = Compression.xz.pack(sample(1, 100))
    let decoder = try XZDecoder(memoryLimit: 1 << 16)
    do throws(DecoderError) {
      _ = try decoder.all(packed)
      Issue.record("it is within the limit")
    } catch {
      #expect(error.reason.hasPrefix("needs a dictionary of more than 128 MiB"))
    }
  }

  @Test func `a frame that would need a huge window is refused`() {
    // RFC 8878 §3.1.1.1: no single segment, a window of 2^41 bytes.
    let header: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 0x01, 0x00, 0x00]
    #expect(throws: DecoderError.self) { try Compression.zstd.unpack(header) }
  }
}
