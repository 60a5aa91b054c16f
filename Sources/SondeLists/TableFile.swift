import SondeAddresses
import SondeInputs
import SondeRecords
import SondeSystem
public import SondeTables

/// Why a table of networks cannot be used.
public struct TableFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The path of the file.
  public let path: String
  /// The line that is wrong, from 1; `nil` where no line is.
  public let line: Int?
  /// What is wrong, for a person.
  public let reason: String

  /// Makes one of its parts.
  package init(path: String, line: Int?, reason: String) {
    self.path = path
    self.line = line
    self.reason = reason
  }

  /// `nets.csv, line 17: column 4: has a port; write 8.8.8.8`.
  public var description: String { "\(path)\(line.map { ", line \($0)" } ?? ""): \(reason)" }
}

/// A file with a table of networks: CSV or TSV with a header, a bare list, or the JSON that clouds
/// publish, told by their content; also compressed.
public struct TableFile: Sendable {
  /// What is read of it at a time, in bytes.
  private static let chunk = 256 << 10
  /// The most bytes of a file of JSON, and of one row.
  static let longestJSON = 256 << 20
  static let longestRow = 16 << 20

  /// Where it lies.
  public let path: String
  /// The column of the networks; `nil` for the usual ones.
  public let key: String?

  /// Names a file.
  public init(path: String, key: String? = nil) { (self.path, self.key) = (path, key) }

  /// Reads all of it.
  ///
  /// - Returns: The table, whose columns are those of the file without its key.
  /// - Throws: ``TableFileError`` when it cannot be read, or a row is bad.
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
      let fill = source.read(into: &buffer, atMost: Self.chunk, until: nil, interruptedBy: wake)
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
