import Addresses
import Glibc

/// A file made for a measurement.
struct InputText {
  let path: String
  let items: Int
  let bytes: Int
}

/// A folder that goes with the last that uses it.
final class ScratchFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/sonde-benchmarks-XXXXXX\0".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { throw BenchmarkError("no folder to be had") }
    path = unsafe String(cString: made)
  }

  deinit {
    removeAll()
    unsafe rmdir(path)
  }

  /// The path of a file that goes with the folder, whoever makes it.
  func file(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// The names of the files in it.
  var names: [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe _ = closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Takes all files away.
  func removeAll() { for name in names { unsafe unlink("\(path)/\(name)") } }

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
