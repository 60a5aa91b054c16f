import SondeAddresses
import Glibc
import TestSupport

/// A file made for a measurement.
struct InputText {
  let path: String
  let items: Int
  let bytes: Int
}

extension ScratchFolder {
  /// Writes a file item by item.
  func write(
    _ name: String,
    items: Int,
    _ append: (inout [UInt8]) -> Void
  ) throws -> InputText {
    let file = file(name)
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BenchmarkError("\(file) cannot be made") }
    defer { close(descriptor) }
    var (bytes, buffer) = (0, [UInt8]())
    for index in 1...items {
      append(&buffer)
      guard buffer.count >= 1 << 20 || index == items else { continue }
      guard unsafe Glibc.write(descriptor, buffer, buffer.count) == buffer.count else {
        throw BenchmarkError("\(file) cannot be written")
      }
      bytes += buffer.count
      buffer.removeAll(keepingCapacity: true)
    }
    return InputText(path: file, items: items, bytes: bytes)
  }
}

/// The server of this folder, for as long as it is held.
final class FastServer {
  /// Where it listens.
  let url: String

  private let child: ChildProcess
  private let life: Pipe

  init(_ path: String) throws {
    let port = try Pipe()
    life = try Pipe()
    child = try ChildProcess([path], input: life.reading, output: port.writing)
    close(port.writing)
    var text = [UInt8](repeating: 0, count: 16)
    let count = unsafe read(port.reading, &text, text.count)
    close(port.reading)
    let digits = text.prefix(max(0, count)).filter { $0 >= 0x30 && $0 <= 0x39 }
    guard !digits.isEmpty else { throw BenchmarkError("the server does not listen") }
    url = "http://127.0.0.1:\(String(decoding: digits, as: UTF8.self))"
  }

  deinit {
    // It ends when nobody holds the other end of its standard input.
    close(life.writing)
    close(life.reading)
    _ = child.wait()
  }
}
