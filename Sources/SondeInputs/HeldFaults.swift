import Glibc
import SondeRecords
import SondeSystem

/// The invalid entries of lists, in order, until all inputs are read.
///
/// There may be any number of them, so all but the last ones wait in a file without a name; if none
/// can be written, they wait in memory.
struct HeldFaults {
  /// An invalid entry.
  struct Fault {
    /// Its number among all entries.
    let number: Int
    let place: Place
    let item: String
    let message: String
  }

  /// The bytes in memory before they are written, and those read at once.
  private static let chunkSize = 1 << 18
  /// The numbers before the texts of an entry, 8 bytes each.
  private static let headerSize = 7 * 8

  private var written: [UInt8] = []
  private var file: Descriptor?
  private var isWritable = true
  private var unread: [UInt8] = []
  /// The start of the next entry in ``unread``, and the end of these bytes in the file.
  private var start = 0
  private var offset: off_t = 0

  /// Adds an entry behind all others; none may have been removed.
  mutating func append(_ fault: Fault) {
    let place = fault.place
    let (item, message) = (Array(fault.item.utf8), Array(fault.message.utf8))
    for number in [
      UInt64(fault.number), place.line, UInt64(place.input), place.time == nil ? 0 : 1,
      UInt64(bitPattern: place.time ?? 0), UInt64(place.text),
      UInt64(item.count) << 32 | UInt64(message.count),
    ] {
      for shift in 0..<8 { written.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * shift))) }
    }
    written += item
    written += message
    if written.count >= Self.chunkSize, isWritable { flush() }
  }

  private mutating func flush() {
    do throws(SystemError) {
      if file == nil { file = try TemporaryFile.open() }
      guard let file else { return }
      // Part of a chunk may be written: what is read ends before it.
      let (count, obstacle) = file.write(written, endedBy: nil)
      guard obstacle == nil else {
        isWritable = false
        return written.removeFirst(count)
      }
      written.removeAll(keepingCapacity: true)
    } catch {
      isWritable = false
    }
  }

  /// Removes the first entry, if it has this number; throws if the file cannot be read.
  mutating func remove(_ number: Int) throws(SystemError) -> Fault? {
    guard try has(Self.headerSize), Int(self.number(0)) == number else { return nil }
    var place = Place(
      line: self.number(1),
      input: UInt32(truncatingIfNeeded: self.number(2)),
      time: self.number(3) == 0 ? nil : Int64(bitPattern: self.number(4))
    )
    place.text = UInt32(truncatingIfNeeded: self.number(5))
    let counts = self.number(6)
    let (item, message) = (Int(counts >> 32), Int(counts & 0xffff_ffff))
    guard try has(Self.headerSize + item + message) else { throw SystemError(EIO) }
    let text = start + Self.headerSize
    let fault = Fault(
      number: number,
      place: place,
      item: String(decoding: unread[text..<text + item], as: UTF8.self),
      message: String(decoding: unread[text + item..<text + item + message], as: UTF8.self)
    )
    start = text + item + message
    return fault
  }

  private func number(_ index: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(unread[start + 8 * index + $1]) << UInt64(8 * $1) }
  }

  /// Reads until so many bytes follow; false if there are no more entries.
  private mutating func has(_ count: Int) throws(SystemError) -> Bool {
    while unread.count - start < count {
      unread.removeFirst(start)
      start = 0
      if let bytes = try readFile() {
        unread += bytes
      } else if !written.isEmpty {
        unread += written
        written = []
      } else {
        guard unread.isEmpty else { throw SystemError(EIO) }
        return false
      }
    }
    return true
  }

  /// The next bytes of the file; `nil` behind its end.
  private mutating func readFile() throws(SystemError) -> [UInt8]? {
    guard let file else { return nil }
    var result = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { space, count in
      repeat {
        result = unsafe pread(file.number, space.baseAddress, Self.chunkSize, offset)
      } while result < 0 && errno == EINTR
      count = max(0, result)
    }
    guard result >= 0 else { throw SystemError() }
    offset += off_t(result)
    return bytes.isEmpty ? nil : bytes
  }
}
