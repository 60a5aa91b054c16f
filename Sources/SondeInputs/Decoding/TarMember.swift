import SondeSystem

/// The first member of a tar archive whose name has an ending, found while the archive's bytes come.
///
/// A member is a header of 512 bytes and its content, filled up with zeros to a multiple of that
/// (pax(1), ustar Interchange Format). Members of other types, as for long names, are skipped: the
/// archives that are read here have short names and one file that matters.
struct TarMember {
  /// What the next bytes are.
  private enum Place {
    case header
    case content(Int)
    case other(Int)
    case behind
  }

  private static let block = OldTarHeader.size
  /// The fields of a header that are used.
  private static let (name, size, type) = (0..<100, 124..<136, 156)

  private let ending: [UInt8]
  private var place = Place.header
  private var header: [UInt8] = []

  /// Whether the whole member was found.
  private(set) var isComplete = false

  init(ending: String) { self.ending = Array(ending.utf8) }

  /// Takes the next bytes of the archive, and returns those of the member that are among them.
  ///
  /// - Throws: ``DecoderError`` for what is no header.
  mutating func take(_ bytes: [UInt8]) throws(DecoderError) -> ArraySlice<UInt8> {
    var rest = bytes[...]
    var found: ArraySlice<UInt8> = []
    while !rest.isEmpty {
      switch place {
      case .behind: return found
      case .header: try readHeader(&rest)
      case .other(let left):
        let count = min(left, rest.count)
        rest.removeFirst(count)
        place = count == left ? .header : .other(left - count)
      case .content(let left):
        found = rest.prefix(left)
        rest.removeFirst(found.count)
        place = found.count == left ? .behind : .content(left - found.count)
        isComplete = found.count == left
      }
    }
    return found
  }

  private mutating func readHeader(_ rest: inout ArraySlice<UInt8>) throws(DecoderError) {
    let part = rest.prefix(Self.block - header.count)
    header += part
    rest.removeFirst(part.count)
    guard header.count == Self.block else { return }
    defer { header = [] }
    // Two blocks of zeros are the end.
    guard header.contains(where: { $0 != 0 }) else {
      place = .behind
      return
    }
    guard OldTarHeader.matches(header) == true, let length = OldTarHeader.octal(header[Self.size])
    else { throw DecoderError(reason: "damaged tar archive") }
    // A NUL is the type of a file in old archives.
    let isFile = [0, UInt8(ascii: "0")].contains(header[Self.type])
    let name = header[Self.name].prefix { $0 != 0 }
    if isFile, length > 0, name.suffix(ending.count) == ending[...] {
      place = .content(length)
    } else {
      let filled = (length + Self.block - 1) / Self.block * Self.block
      place = filled == 0 ? .header : .other(filled)
    }
  }
}
