import Glibc
import SondeSystem
import TestSupport
import Testing

@testable import SondeInputs

@Suite struct PackedFileTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// What is unpacked of some bytes, or the reason why that fails.
  private func unpack(_ bytes: [UInt8], atMost limit: Int = 1 << 20) -> Result<[UInt8], Reason> {
    do {
      let (source, target) = (try TemporaryFile.open(), WholeFile(path: folder.file("out")))
      try source.write(bytes)
      try target.write([])
      let output = try Descriptor(opening: target.path, O_WRONLY | O_APPEND)
      try PackedFile(source).unpack(to: output, member: ".mmdb", atMost: limit)
      return .success(try target.read(atMost: limit))
    } catch PackedFile.Problem.unusable(let reason) {
      return .failure(Reason(text: reason))
    } catch {
      return .failure(Reason(text: "\(error)"))
    }
  }

  private struct Reason: Error, Equatable { let text: String }

  /// A member of a tar archive.
  static func member(_ name: String, _ content: [UInt8], type: Character = "0") -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at place: Int) {
      header.replaceSubrange(place..<place + text.utf8.count, with: text.utf8)
    }
    put(name, at: 0)
    let size = String(content.count, radix: 8)
    put(String(repeating: "0", count: 11 - size.count) + size, at: 124)
    put(String(type), at: 156)
    put("        ", at: 148)
    let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
    put(String(repeating: "0", count: 6 - sum.count) + sum + "\0 ", at: 148)
    return header + content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
  }

  private let content = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 9) }
  private let end = [UInt8](repeating: 0, count: 1024)

  @Test(arguments: [nil] + Compression.allCases)
  func `plain bytes and the member of an archive come out`(format: Compression?) {
    let wanted = Self.member("x/b.mmdb", content)
    let long = Self.member("l", Array("x.mmdb\0".utf8), type: "L")
    let archives = [
      Self.member("x/", [], type: "5") + Self.member("x/a.txt", [1]) + wanted,
      wanted + Self.member("c.mmdb", [9]),
      Self.member("b.mmdb", [], type: "5") + Self.member("e.mmdb", []) + wanted,
      long + Self.member("b.mmdb", content, type: "\0"),
    ]
    for bytes in [content] + archives.map({ $0 + end }) {
      #expect(unpack(format?.pack(bytes) ?? bytes) == .success(content))
    }
    #expect(unpack(format?.pack([]) ?? []) == .success([]))
  }

  @Test func `what is cut, damaged, too large or without the member is refused`() {
    let archive = Self.member("a.txt", [1]) + Self.member("b.mmdb", content)
    let packed = Compression.gzip.pack(archive + end)
    for count in stride(from: 20, to: packed.count, by: packed.count / 40) {
      guard case .failure = unpack(Array(packed.prefix(count))) else {
        Issue.record("\(count) bytes")
        continue
      }
    }
    let none = Reason(text: "no whole .mmdb file is in the archive")
    for bytes in [Self.member("a.txt", content) + end, Array(archive.dropLast(2_000))] {
      #expect(unpack(bytes) == .failure(none))
    }
    let noise = Self.member("a.txt", [1]) + [UInt8](repeating: 8, count: 2_000)
    #expect(unpack(noise) == .failure(Reason(text: "damaged tar archive")))
    #expect(unpack(packed, atMost: 60_000) == .failure(Reason(text: "unpacks to more than 0 MB")))
    #expect(unpack(packed, atMost: content.count) == .success(content))
  }

  @Test func `an error of the target is thrown`() throws {
    let (source, full) = (try TemporaryFile.open(), try Descriptor(opening: "/dev/full", O_WRONLY))
    try source.write([1])
    do throws(PackedFile.Problem) {
      try PackedFile(source).unpack(to: full, member: ".mmdb", atMost: 9)
      Issue.record("it was written")
    } catch .unwritable(let error) {
      #expect(error == SystemError(ENOSPC))
    } catch {
      Issue.record(error)
    }
  }
}
