import SondeRecords

/// A source of a comparison, whose columns begin with its name.
public struct ComparedSource: Sendable, Equatable {
  /// The name.
  public let name: String
  /// The name of its provider, with which messages begin.
  let provider: String
  /// Whether it is a database on this machine, whose answers are not cached.
  let isLocal: Bool

  /// Names the sources of a run in order: each provider, or each of the databases in place of
  /// `local` if there are several.
  ///
  /// The second of a name, or one that has a column in common with the `fixed` ones or another
  /// source, gets `_2`, the third `_3`.
  public static func named(
    providers: [String],
    local: String,
    databases: [String],
    hasTruth: Bool
  ) -> [ComparedSource] {
    let named = providers.flatMap { provider in
      let names =
        provider == local && databases.count > 1
        ? databases.map(fileName) : [columnPart(of: provider)]
      return names.map { (name: $0, provider: provider) }
    }
    var taken = Set(Comparison.fixedColumns(hasTruth: hasTruth))
    return named.map { name, provider in
      func isFree(_ name: String) -> Bool {
        taken.isDisjoint(with: Comparison.columns(of: name, hasTruth: hasTruth).map(\.name))
      }
      var (free, number) = (name, 1)
      while !isFree(free) {
        number += 1
        free = "\(name)_\(number)"
      }
      let source = ComparedSource(
        name: free,
        provider: provider,
        isLocal: provider == local
      )
      taken.formUnion(Comparison.columns(of: source.name, hasTruth: hasTruth).map(\.name))
      return source
    }
  }

  /// The name of a file without its folder and last ending, as part of a column's name.
  private static func fileName(of path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let end = file.lastIndex(of: ".").flatMap { $0 == file.startIndex ? nil : $0 }
    return columnPart(of: String(file[..<(end ?? file.endIndex)]))
  }

  /// In lower case; what is no letter of ASCII, digit or `_` is `_`.
  private static func columnPart(of text: String) -> String {
    let scalars = text.lowercased().unicodeScalars.map { scalar -> Character in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
      return isPlain ? Character(scalar) : "_"
    }
    return String(scalars)
  }
}
