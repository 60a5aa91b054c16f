import SondeAddresses
import SondeInputs
import SondeRecords
import SondeSystem
public import SondeTables

/// The reason why a table of networks is unusable.
public struct TableFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The path of the file.
  public let path: String
  /// The number of the invalid line, from 1; `nil` if there is none.
  public let line: Int?
  /// The error, in plain words.
  public let reason: String

  package init(path: String, line: Int?, reason: String) {
    (self.path, self.line, self.reason) = (path, line, reason)
  }

  /// `nets.csv, line 17: column 4: has a port; write 8.8.8.8`.
  public var description: String { "\(path)\(line.map { ", line \($0)" } ?? ""): \(reason)" }
}

/// A file with a network table: CSV or TSV with a header, a bare list, or cloud providers' JSON,
/// recognised by content; optionally compressed.
public struct TableFile: Sendable {
  /// The number of bytes per read.
  private static let chunk = 256 << 10
  /// The largest size of a JSON file or a row in bytes.
  static let longestJSON = 256 << 20
  static let longestRow = 16 << 20

  /// The path of the file.
  public let path: String
  /// The column of the networks; `nil` for the default names.
  public let key: String?

  /// Names a file.
  public init(path: String, key: String? = nil) { (self.path, self.key) = (path, key) }

  /// Reads the whole file, with all columns except the key.
  ///
  /// Throws ``TableFileError`` if it cannot be read, or a row is invalid.
  public func table() throws(TableFileError) -> NetworkTable {
    let source: InputFile
    let wake: WakePipe
    do throws(InputError) {
      source = try InputFile(.file(path))
      wake = try WakePipe.forInputs()
    } catch {
      throw TableFileError(path: path, line: nil, reason: error.reason)
    }
    var parser = TableParser(path: path, key: key)
    var buffer: [UInt8] = []
    while true {
      let fill = source.read(into: &buffer, atMost: Self.chunk, ByteWait(wake))
      if case .failure(let error) = fill {
        throw TableFileError(path: path, line: nil, reason: error.reason)
      }
      let used = try parser.read(buffer.span, isLast: fill.isEnd)
      if fill.isEnd { return parser.table() }
      buffer.removeSubrange(..<used)
      guard buffer.count <= parser.longestText else { throw parser.error("is too long") }
    }
  }
}
