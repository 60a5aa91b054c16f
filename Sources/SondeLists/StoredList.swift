public import SondeRecords
package import SondeSystem
package import SondeTables

/// A published list as it was fetched.
public struct StoredList: Sendable, Equatable {
  /// When it was fetched, or found to be still the same, in seconds since 1970 UTC.
  public var fetchedAt: Int64
  /// The networks in it.
  public var rows: Int
  /// What tells this version from others (RFC 9110 §8.8.3); empty where the server did not say.
  var entityTag: String
  /// As it was published.
  package var body: [UInt8]
}

/// The folder of the published lists, each a file that is replaced as a whole.
public struct ListFolder: Sendable {
  /// The largest list, in bytes.
  static let longestList = 32 << 20
  /// The first line of a file has this, then the time, the rows, the checksum of what follows, and the tag.
  private static let mark = "sonde-list-2"
  private static let longestHead = 4 << 10

  /// Where it lies.
  public let path: String

  /// Names the folder.
  public init(path: String) { self.path = path }

  private func file(of list: PublishedList) -> WholeFile {
    WholeFile(path: "\(path)/\(list.name)")
  }

  /// Reads a list; `nil` where it was never fetched, or is damaged.
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
    // Of one that is cut short, what is missing would look as if nobody listed it.
    guard words[3] == Self.checksum(of: body) else { return nil }
    return StoredList(fetchedAt: time, rows: rows, entityTag: String(words[4]), body: body)
  }

  /// Keeps a list in place of the one before.
  ///
  /// - Throws: `SystemError`.
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
  /// When the oldest list of a source was fetched, and how many networks it has; `nil` where one never
  /// was.
  public func state(of source: AddedSource) -> (fetchedAt: Int64, rows: Int)? {
    let stored = source.neededLists.map(read)
    guard !stored.contains(nil), let oldest = stored.compactMap({ $0?.fetchedAt }).min() else {
      return nil
    }
    return (oldest, stored.prefix(source.lists.count).reduce(0) { $0 + ($1?.rows ?? 0) })
  }

  /// Reads the lists of a source.
  ///
  /// - Throws: ``TableFileError`` where one was never fetched.
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
    var parser = TableParser(path: source.name, key: nil, isPublished: true, without: excluded)
    for list in lists {
      guard let stored = read(list) else {
        let reason = "was never fetched: 'sonde tables update \(source.name)' fetches it"
        throw TableFileError(path: source.name, line: nil, reason: reason)
      }
      try parser.readAll(stored.body.span)
    }
    return parser.table()
  }
}
