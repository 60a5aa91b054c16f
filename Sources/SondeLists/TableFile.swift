import SondeAddresses
public import SondeCatalog
import SondeInputs
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

/// A file with a table of networks: delimited rows, a bare list or JSON, recognised by content;
/// optionally compressed.
public struct TableFile: Sendable {
  /// The number of bytes per read.
  private static let chunk = 256 << 10
  /// The largest size of a JSON file or a row in bytes.
  static let longestJSON = 256 << 20
  static let longestRow = 16 << 20

  /// The path of the file.
  public let path: String
  /// Which of its columns are used.
  public let choice: TableChoice
  /// The columns of its JSON if they are known.
  private let columns: [ListColumn]?
  /// Whether invalid rows are skipped and counted instead of errors.
  private let skipsFaults: Bool

  /// Names a file.
  public init(
    path: String,
    _ choice: TableChoice = TableChoice(),
    skippingFaults skipsFaults: Bool = false
  ) {
    (self.path, self.choice, columns, self.skipsFaults) = (path, choice, nil, skipsFaults)
  }

  /// Names a file of a service's tags, whose columns are those of its cloud.
  package init(tags path: String) {
    (self.path, choice, columns) = (path, TableChoice(), PublishedList.cloudColumns)
    skipsFaults = false
  }

  /// What was read from a file.
  public struct Contents: Sendable {
    /// The table.
    public let table: NetworkTable
    /// Whether its rows are autonomous systems: system 3320 is the address 0.0.12.248.
    public let areSystems: Bool
    /// The number of skipped rows.
    public let odd: Int
  }

  /// Reads the networks of the file; throws ``TableFileError`` as ``contents()`` does, and for a
  /// table of autonomous systems.
  public func table() throws(TableFileError) -> NetworkTable {
    let contents = try contents()
    guard !contents.areSystems else {
      let reason = "is a table of AS numbers, not of networks"
      throw TableFileError(path: path, line: nil, reason: reason)
    }
    return contents.table
  }

  /// Reads the whole file.
  ///
  /// Throws ``TableFileError`` if it cannot be read, or a row is invalid.
  public func contents() throws(TableFileError) -> Contents {
    let source: InputFile
    let wake: WakePipe
    do throws(InputError) {
      source = try InputFile(.file(path))
      wake = try WakePipe.forInputs()
    } catch {
      throw TableFileError(path: path, line: nil, reason: error.reason)
    }
    var parser = TableParser(path: path, choice, columns: columns, skippingFaults: skipsFaults)
    var buffer: [UInt8] = []
    while true {
      let fill = source.read(into: &buffer, atMost: Self.chunk, ByteWait(wake))
      if case .failure(let error) = fill {
        throw TableFileError(path: path, line: nil, reason: error.reason)
      }
      let used = try parser.read(buffer.span, isLast: fill.isEnd)
      if fill.isEnd {
        let (areSystems, odd) = (parser.areSystems, parser.odd)
        return Contents(table: try parser.table(), areSystems: areSystems, odd: odd)
      }
      buffer.removeSubrange(..<used)
      guard buffer.count <= parser.longestText else { throw parser.error("is too long") }
    }
  }
}
