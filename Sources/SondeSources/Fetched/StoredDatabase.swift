public import SondeCatalog
import SondeDatabases
public import SondeLists
import SondeSystem

/// What is known of a fetched database.
public struct StoredDatabase: Sendable, Equatable {
  /// When it was fetched or found unchanged, in seconds since 1970 UTC.
  public var fetchedAt: Int64
  /// The number of its networks.
  public let rows: Int
  /// When its owner built it, in seconds since 1970 UTC.
  public let built: Int64
  /// The entity tag of this version (RFC 9110 §8.8.3); empty if the server sent none.
  let entityTag: String
  /// The length of the file in bytes.
  let size: Int

  init(fetchedAt: Int64, rows: Int, built: Int64, entityTag: String, size: Int) {
    (self.fetchedAt, self.rows, self.built) = (fetchedAt, rows, built)
    (self.entityTag, self.size) = (entityTag, size)
  }
}

// MARK: - The stored form

extension StoredDatabase {
  private static let mark = "sonde-database-1"

  /// One line: the mark, the numbers and the tag.
  var description: [UInt8] {
    Array("\(Self.mark) \(fetchedAt) \(rows) \(built) \(size) \(entityTag)\n".utf8)
  }

  /// Parses a description; `nil` if it is damaged.
  init?(_ bytes: [UInt8]) {
    guard bytes.last == 0x0a else { return nil }
    let words = String(decoding: bytes.dropLast(), as: UTF8.self).split(
      separator: " ",
      maxSplits: 5,
      omittingEmptySubsequences: false
    )
    guard words.count == 6, words[0] == Self.mark, let time = Int64(words[1]),
      let rows = Int(words[2]), let built = Int64(words[3]), let size = Int(words[4])
    else { return nil }
    self.init(fetchedAt: time, rows: rows, built: built, entityTag: String(words[5]), size: size)
  }
}

// MARK: - The folder

extension ListFolder {
  private static let longestDescription = 4 << 10

  /// The path of a database, which is an MMDB, once it is fetched.
  public func path(of database: PublishedDatabase) -> String { "\(path)/\(database.name)" }

  /// The databases that are there, in the order in which `local` reads them.
  public var databases: [String] {
    PublishedDatabase.all.map(path).filter { FileStatus(path: $0)?.isRegular == true }
  }

  private func description(of database: PublishedDatabase) -> WholeFile {
    WholeFile(path: path(of: database) + ".about")
  }

  /// What is known of a database; `nil` if it was never fetched or is damaged.
  ///
  /// The description is written after the database, so it may be that of an earlier one: then the
  /// networks are counted, which takes seconds.
  public func read(_ database: PublishedDatabase) -> StoredDatabase? {
    let path = path(of: database)
    guard let status = FileStatus(path: path), let dated = try? DatedDatabase(path: path) else {
      return nil
    }
    let bytes = try? description(of: database).read(atMost: Self.longestDescription)
    if let stored = bytes.flatMap({ StoredDatabase($0) }), stored.size == status.size,
      stored.built == dated.date
    {
      return stored
    }
    let choice = TableChoice(columns: [])
    guard let source = try? MaxMindSource(path: path, named: database.name, choice) else {
      return nil
    }
    return StoredDatabase(
      fetchedAt: Int64(status.modified / .seconds(1)),
      rows: source.networkCount,
      built: dated.date,
      entityTag: "",
      size: status.size
    )
  }

  /// Stores what is known of a database.
  func write(_ stored: StoredDatabase, of database: PublishedDatabase) throws(SystemError) {
    try description(of: database).write(stored.description)
  }

  /// Removes a database; returns whether it was there.
  func remove(_ database: PublishedDatabase) throws(SystemError) -> Bool {
    let file = WholeFile(path: path(of: database))
    let isThere = FileStatus(path: file.path) != nil
    try file.remove()
    try description(of: database).remove()
    // What a killed run left of one removes itself.
    _ = try? FileDraft(of: file.path)
    return isThere
  }
}
