public import SondeCatalog
package import SondeSystem
package import SondeTables

/// A published list as fetched.
public struct StoredList: Sendable, Equatable {
  /// When it was fetched or found unchanged, in seconds since 1970 UTC.
  public var fetchedAt: Int64
  /// The number of networks.
  public var rows: Int
  /// The entity tag of this version (RFC 9110 §8.8.3); empty if the server sent none.
  var entityTag: String
  package var body: [UInt8]
}

/// The directory of published lists, whose files are replaced atomically.
public struct ListFolder: Sendable {
  /// The size of the largest list, in bytes.
  package static let longestList = 32 << 20
  /// The beginning of a file's first line, followed by the time, the number of rows, the checksum
  /// of the rest, and the tag.
  private static let mark = "sonde-list-2"
  private static let longestHead = 4 << 10

  /// The path of the directory.
  public let path: String

  /// Names the directory.
  public init(path: String) { self.path = path }

  func file(of list: PublishedList) -> WholeFile { WholeFile(path: "\(path)/\(list.name)") }

  /// Reads a list; `nil` if it was never fetched or is damaged.
  public func read(_ list: PublishedList) -> StoredList? {
    guard let bytes = try? file(of: list).read(atMost: Self.longestList + Self.longestHead),
      let end = bytes.prefix(Self.longestHead).firstIndex(of: 0x0a)
    else { return nil }
    let words = String(decoding: bytes[..<end], as: UTF8.self).split(
      separator: " ",
      maxSplits: 4,
      omittingEmptySubsequences: false
    )
    guard words.count == 5, words[0] == Self.mark, let time = Int64(words[1]),
      let rows = Int(words[2])
    else { return nil }
    let body = Array(bytes[(end + 1)...])
    // In a truncated list, missing networks would seem to be unlisted.
    guard words[3] == Self.checksum(of: body) else { return nil }
    return StoredList(fetchedAt: time, rows: rows, entityTag: String(words[4]), body: body)
  }

  /// Stores a list, replacing the former one.
  package func write(_ stored: StoredList, as list: PublishedList) throws(SystemError) {
    let words = [
      Self.mark, "\(stored.fetchedAt)", "\(stored.rows)", Self.checksum(of: stored.body),
      stored.entityTag,
    ]
    let head = words.joined(separator: " ") + "\n"
    try file(of: list).write(Array(head.utf8) + stored.body)
  }

  private static func checksum(of body: [UInt8]) -> String {
    String(Checksum.of(body.span), radix: 16)
  }
}

extension ListFolder {
  /// The age of a source's oldest list, and the number of networks; `nil` if one was never fetched.
  public func state(of source: AddedSource) -> (fetchedAt: Int64, rows: Int)? {
    let stored = source.neededLists.map(read)
    guard !stored.contains(nil), let oldest = stored.compactMap({ $0?.fetchedAt }).min() else {
      return nil
    }
    return (oldest, stored.prefix(source.lists.count).reduce(0) { $0 + ($1?.rows ?? 0) })
  }

  /// The names of the columns of a source; `nil` if one of its lists was never fetched.
  public func columns(of source: AddedSource) -> [String]? {
    let table = try? table(of: source)
    return table.map { (["network"] + $0.columns).map { "\(source.name)_\($0)" } }
  }

  /// Reads the lists of a source; throws ``TableFileError`` if one was never fetched.
  package func table(of source: AddedSource) throws(TableFileError) -> NetworkTable {
    let excluded = try source.excluded.map { list throws(TableFileError) in
      try table(of: [list], source, without: nil)
    }
    return try table(of: source.lists, source, without: excluded)
  }

  private func table(
    of lists: [PublishedList],
    _ source: AddedSource,
    without excluded: NetworkTable?
  ) throws(TableFileError) -> NetworkTable {
    let columns = lists.first?.columns ?? []
    var parser = TableParser(published: columns, named: source.name, without: excluded)
    for list in lists {
      guard let stored = read(list) else {
        let reason = "was never fetched: 'sonde tables update \(source.name)' fetches it"
        throw TableFileError(path: source.name, line: nil, reason: reason)
      }
      try parser.readAll(stored.body.span)
    }
    return try parser.table()
  }
}
