import SondeSystem

/// The names beside followed files, in directories that are read again only after a change.
struct FolderNames: Sendable {
  /// A file that another one may have been rotated to.
  struct Rotation {
    let path: String
    let isCompressed: Bool
  }

  private struct Listing {
    let status: FileStatus?
    /// Whether a later change of the directory shows in its time.
    let isSettled: Bool
    /// In ascending order.
    let names: [String]
    /// What the system knows of each file, by its name, found out with the first question.
    var statuses: [String: FileStatus]?
    /// The paths of files, likewise.
    var paths: [FileIdentity: String] = [:]
  }

  /// How coarse the times of directories may be, and a little more.
  private static let clockStep = FilePosition.clockStep * 2
  /// How many directories that nobody asked about last time are kept.
  private static let mostListings = 100
  private static let compressors = [".gz", ".bz2", ".xz", ".zst", ".lz4"]

  private let isFollowed: @Sendable (String) -> Bool
  private var listings: [String: Listing] = [:]
  /// The directories that were read for what is looked for now.
  private var fresh: Set<String>?

  /// Creates it for followed names, which are nobody's rotations.
  init(isFollowed: @escaping @Sendable (String) -> Bool) { self.isFollowed = isFollowed }

  /// Reads each directory once for all that is asked until ``end()``, and none from before.
  mutating func begin() { fresh = [] }

  /// Reads directories again from here on, once they have changed.
  mutating func end() {
    if let fresh, listings.count > fresh.count + Self.mostListings {
      listings = listings.filter { fresh.contains($0.key) }
    }
    fresh = nil
  }

  /// The paths beside a file whose names continue its own, sorted.
  mutating func continuations(of path: String) -> [String] {
    let (folder, name) = Self.parts(of: path)
    return names(in: folder, beginning: name).map { folder + $0 }.filter { $0 != path }
  }

  /// The paths beside a file that begin like its own name, up to a separator, sorted; but those that
  /// are followed or compressed, or were last written to before a time.
  mutating func strangers(beside path: String, since: Duration) -> [String] {
    let (folder, name) = Self.parts(of: path)
    let stem = name.prefix { !Self.separators.contains($0) }
    let statuses = known(folder).statuses ?? [:]
    return names(in: folder, beginning: String(stem))
      .filter { statuses[$0].map { $0.modified >= since } ?? false }.map { folder + $0 }
      .filter { $0 != path && !isFollowed($0) && Self.compressor(of: $0) == nil }
  }

  /// The path beside another that a file has; `nil` if it has none.
  mutating func path(of identity: FileIdentity, beside path: String) -> String? {
    known(Self.parts(of: path).folder).paths[identity]
  }

  /// A directory with what is known of its files.
  private mutating func known(_ folder: String) -> Listing {
    var listing = listing(of: folder)
    guard listing.statuses == nil else { return listing }
    let all = listing.names.compactMap { name in
      FileStatus(path: folder + name).map { (name, $0) }
    }
    listing.statuses = Dictionary(all) { first, _ in first }
    listing.paths = Dictionary(all.map { ($1.identity, folder + $0) }) { first, _ in first }
    listings[folder] = listing
    return listing
  }

  /// The files whose names are that of another with a date or a number at its end or before its
  /// extension, behind a separator, and perhaps a compressor's extension; but those that are followed.
  mutating func rotations(of path: String) -> [Rotation] {
    let (folder, name) = Self.parts(of: path)
    let dot = name.dropFirst().lastIndex(of: ".") ?? name.endIndex
    let (base, end) = (String(name[..<dot]), name[dot...])
    return names(in: folder, beginning: base).compactMap { other in
      let compressor = Self.compressor(of: other)
      let plain = other.dropLast(compressor?.count ?? 0)
      let isLonger = plain.count > name.count
      let isAtEnd = plain.hasPrefix(name) && Self.isNumber(plain.dropFirst(name.count))
      let isWithin =
        plain.hasSuffix(end) && Self.isNumber(plain.dropFirst(base.count).dropLast(end.count))
      guard isLonger, isAtEnd || isWithin, !isFollowed(folder + other) else { return nil }
      return Rotation(path: folder + other, isCompressed: compressor != nil)
    }
  }

  private static let separators = "-_."

  /// Whether a text is a separator with a number or a date behind it, such as `-2026-11-30T11:00Z`.
  private static func isNumber(_ text: Substring) -> Bool {
    guard let first = text.first else { return true }
    return separators.contains(first)
      && text.allSatisfy { $0.isASCII && $0.isNumber || (separators + "TZ:").contains($0) }
  }

  private static func compressor(of path: String) -> String? {
    compressors.first { path.hasSuffix($0) }
  }

  private static func parts(of path: String) -> (folder: String, name: String) {
    let folder = folder(of: path)
    return (folder, String(path.dropFirst(folder.count)))
  }

  private mutating func names(in folder: String, beginning start: String) -> ArraySlice<String> {
    let names = listing(of: folder).names
    var (low, high) = (0, names.count)
    while low < high {
      let middle = (low + high) / 2
      if names[middle] < start { low = middle + 1 } else { high = middle }
    }
    return names[low...].prefix { $0.hasPrefix(start) }
  }

  private mutating func listing(of folder: String) -> Listing {
    if let known = listings[folder], fresh?.contains(folder) == true { return known }
    fresh?.insert(folder)
    let path = folder.isEmpty ? "." : folder
    let status = FileStatus(path: path)
    if var known = listings[folder], known.isSettled, let status, let before = known.status,
      before.identity == status.identity, before.modified == status.modified
    {
      known.statuses = nil
      listings[folder] = known
      return known
    }
    let now = Duration.milliseconds(Timestamp.now.milliseconds)
    let isSettled = status.map { now - $0.modified > Self.clockStep } ?? false
    let names = SondeSystem.names(in: path).sorted()
    // One that cannot be read now has no names.
    let listing = Listing(status: status, isSettled: isSettled && !names.isEmpty, names: names)
    listings[folder] = listing
    return listing
  }
}
