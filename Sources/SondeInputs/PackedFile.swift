import Glibc
package import SondeSystem

/// A file that may be compressed, and be a tar archive with one member that matters.
package struct PackedFile {
  /// The reason why it could not be unpacked.
  package enum Problem: Error {
    /// It is damaged, or has no such member, or is too large; in plain words.
    case unusable(String)
    /// What was unpacked could not be written.
    case unwritable(SystemError)
  }

  private static let chunk = 256 << 10
  private let source: Reader

  /// Names an open file, which is read from its beginning.
  package init(_ file: Descriptor) { source = Reader(file) }

  /// The first bytes, at most so many.
  package func beginning(_ count: Int) -> [UInt8] { source.bytes(at: 0, count) ?? [] }

  /// Writes the content to another file; of an archive, the first member whose name has an ending.
  ///
  /// - Parameters:
  ///   - target: The file that it is appended to.
  ///   - ending: The ending of the member's name, as `.mmdb`.
  ///   - limit: The largest content, in bytes.
  /// - Throws: ``Problem``.
  package func unpack(
    to target: Descriptor,
    member ending: String,
    atMost limit: Int
  ) throws(Problem) {
    let (bytes, wait) = (try decoded(), ByteWait(try Self.wake()))
    var (member, isFirst, written) = (TarMember?.none, true, 0)
    var buffer: [UInt8] = []
    while true {
      let fill = bytes.read(into: &buffer, atMost: Self.chunk, wait)
      if case .failure(let error) = fill { throw .unusable(error.reason) }
      // The first bytes are judged once there are enough.
      if isFirst, buffer.count < OldTarHeader.size, !fill.isEnd { continue }
      if isFirst, OldTarHeader.matches(Array(buffer.prefix(OldTarHeader.size))) == true {
        member = TarMember(ending: ending)
      }
      isFirst = false
      let part = try Self.part(of: buffer, &member)
      written += part.count
      guard written <= limit else { throw .unusable("unpacks to more than \(limit >> 20) MB") }
      do throws(SystemError) { try target.write(part) } catch { throw .unwritable(error) }
      buffer.removeAll(keepingCapacity: true)
      if fill.isEnd { break }
    }
    guard member?.isComplete != false else {
      throw .unusable("no whole \(ending) file is in the archive")
    }
  }

  private static func part(
    of bytes: [UInt8],
    _ member: inout TarMember?
  ) throws(Problem) -> [UInt8] {
    do throws(DecoderError) {
      return try member?.take(bytes).map { $0 } ?? bytes
    } catch {
      throw .unusable(error.reason)
    }
  }

  private static func wake() throws(Problem) -> WakePipe {
    do throws(InputError) { return try WakePipe.forInputs() } catch {
      throw .unusable(error.reason)
    }
  }

  /// The bytes, decompressed if they are compressed.
  private func decoded() throws(Problem) -> any ByteSource {
    let first = beginning(16)
    let compression = Compression.allCases.first { compression in
      compression.signatures.contains { $0.matches(first) == true }
    }
    guard let compression else { return source }
    do throws(DecoderError) {
      return DecodedSource(
        source,
        beginning: [],
        isAtEnd: false,
        decoder: try compression.decoder(),
        incomplete: .cutShort,
        name: ""
      )
    } catch {
      throw .unusable(error.reason)
    }
  }

  /// Reads a file from its beginning, wherever others have read or written it.
  private final class Reader: ByteSource {
    private let file: Descriptor
    private var position = 0

    init(_ file: Descriptor) { self.file = file }

    /// The bytes at a place; `nil` if they cannot be read.
    func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      while true {
        let read = unsafe pread(file.number, &bytes, count, offset)
        if read >= 0 { return Array(bytes.prefix(read)) }
        if errno != EINTR { return nil }
      }
    }

    func read(into buffer: inout [UInt8], atMost count: Int, _: ByteWait) -> Fill {
      guard let bytes = bytes(at: position, count) else {
        return .failure(InputError(name: "", SystemError()))
      }
      position += bytes.count
      buffer += bytes
      return bytes.isEmpty ? .end : .more
    }
  }
}
