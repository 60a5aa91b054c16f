import SondeRecords

/// A source as specified by a user: `nets=nets.csv,key=block,columns=team,site`.
public struct NamedSource: Sendable, Equatable {
  /// The reason why a text names no source.
  public enum Problem: Error, Equatable {
    /// No source has this name, or its file is missing or superfluous.
    case malformed
    /// The name of a table of one's own means something else already.
    case taken(name: String, by: String)
  }

  /// The source.
  public let source: AddedSource
  /// The file of its table; empty if it needs none, or was added by its name.
  public let path: String
  /// Which of its columns are used.
  public let choice: TableChoice
  /// Whether the file is a copy of what was fetched, so that a few invalid rows are skipped.
  public private(set) var isFetched = false

  /// Names the file of a table that was added.
  public init(_ source: AddedSource, path: String, _ choice: TableChoice, isFetched: Bool) {
    (self.source, self.path, self.choice, self.isFetched) = (source, path, choice, isFetched)
  }

  /// The names of sources and fields that may yet come, which no table may have.
  private static let reserved: Set = [
    "crawler_name", "ask",
  ]

  /// What is before the file of a web service.
  private static let serviceMark = "ask:"

  /// Parses a user's text; throws ``Problem``.
  public init(_ text: String) throws(Problem) {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(halves[0])
    guard halves.count == 2 else {
      (path, choice) = ("", TableChoice())
      if let source = AddedSource(name: text), !source.takesFile {
        self.source = source
      } else {
        // It may have been added by this name.
        guard AddedSource(name: text) == nil, Field(name: text) == nil,
          !Self.reserved.contains(name), let source = AddedSource(ownNamed: name)
        else { throw .malformed }
        self.source = source
      }
      return
    }
    let isService = halves[1].hasPrefix(Self.serviceMark)
    if let source = AddedSource(name: name) {
      guard source.takesFile, !isService else {
        throw .taken(name: name, by: "a source of its own")
      }
      self.source = source
    } else {
      if Field(name: name) != nil { throw .taken(name: name, by: "a field") }
      if Self.reserved.contains(name) { throw .taken(name: name, by: "a name of Sonde's") }
      guard let source = AddedSource(ownNamed: name, isService: isService) else { throw .malformed }
      self.source = source
    }
    if source.isAsked {
      (path, choice) = (String(halves[1].dropFirst(Self.serviceMark.count)), TableChoice())
      if path.isEmpty { throw .malformed }
      return
    }
    (path, choice) = try Self.parts(of: halves[1])
  }

  /// Splits what is behind the name; the file may have commas in its name.
  private static func parts(
    of text: Substring
  ) throws(Problem) -> (path: String, choice: TableChoice) {
    var (rest, choice) = (text, TableChoice())
    if let mark = rest.ranges(of: ",columns=").last {
      let names = rest[mark.upperBound...].split(separator: ",", omittingEmptySubsequences: false)
      choice.columns = names.map(String.init)
      rest = rest[..<mark.lowerBound]
    }
    if let mark = rest.ranges(of: ",key=").last {
      choice.key = String(rest[mark.upperBound...])
      rest = rest[..<mark.lowerBound]
    }
    guard !rest.isEmpty, choice.key != "", choice.columns?.contains("") != true else {
      throw .malformed
    }
    return (String(rest), choice)
  }
}

/// Which columns of a table are used, as `--with` specifies them.
public struct TableChoice: Sendable, Equatable {
  /// The column of the networks; `nil` for the default names.
  public var key: String?
  /// The other columns, in order; `nil` for all.
  public var columns: [String]?

  /// Creates the choice of all columns.
  public init(key: String? = nil, columns: [String]? = nil) {
    (self.key, self.columns) = (key, columns)
  }
}

/// The name or path of a foreign value as part of a column's name: every character that is no
/// letter, digit or `_` is `_`.
package func columnName(_ text: String) -> String {
  String(text.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
}
