public import SondeRecords

/// Who can be asked: a row of the table of providers.
///
/// To add one: a file with its dialect, such as `IPAPI.swift`, which ends with its row, and the row's
/// name in ``all``.
public struct Provider: Sendable {
  /// Every provider, in the order of help.
  public static let all: [Provider] = [ipAPI, ipinfo, ipinfoLite, local]

  /// The name in `--provider`.
  public let name: String

  /// Who answers under this name.
  public let sources: [SourceRow]

  /// The web API that is asked; `nil` where databases on this machine are.
  public let service: Service?

  /// Who answers, and whose data that is.
  public struct SourceRow: Sendable {
    /// Its number, which is on the disk, in caches, journals and tables: one that was given is never
    /// given to another.
    public let source: Source

    /// What stands in the `source` column.
    public let name: String

    /// Whom a report that shows the data names; `nil` where only the file that answered can tell.
    public let owner: String?

    /// The licence or the terms of the data; `nil` where they are not known.
    public let terms: String?

    init(_ number: UInt8, _ name: String, owner: String? = nil, terms: String? = nil) {
      (source, self.name) = (Source(number), name)
      (self.owner, self.terms) = (owner, terms)
    }
  }

  /// What the user can set of a web API, and how it is asked then.
  public struct Service: Sendable {
    /// The key or token of an account.
    public let key: Key

    /// The setting that names another place to ask it at.
    public let url: String

    /// What a user without a key is to know before addresses go to a host unencrypted; `nil` where that
    /// is nothing.
    public let caution: (@Sendable (_ host: String) -> String)?

    /// Makes its dialect: for another place than its own or not, with a key or without, and for the
    /// columns that were asked for by name.
    let make: @Sendable (BaseURL?, _ key: String?, Set<Field>) -> any RemoteAPI

    init(
      key: Key,
      url: String,
      caution: (@Sendable (_ host: String) -> String)? = nil,
      make: @escaping @Sendable (BaseURL?, _ key: String?, Set<Field>) -> any RemoteAPI
    ) {
      (self.key, self.url, self.caution, self.make) = (key, url, caution, make)
    }

    /// Makes its dialect.
    ///
    /// - Parameters:
    ///   - base: Where it is asked instead of its own place.
    ///   - key: The key of an account.
    ///   - fields: The columns that were asked for by name.
    /// - Returns: The dialect.
    public func api(at base: BaseURL?, key: String?, fields: Set<Field>) -> any RemoteAPI {
      make(base, key, fields)
    }
  }

  /// A key or token that one provider or several take.
  public struct Key: Sendable, Equatable {
    /// Its setting.
    public let setting: String
    /// What it is called in a message.
    public let words: String
    /// What help says of it.
    public let summary: String
  }

  /// Whether nothing is answered without a key.
  public let needsKey: Bool

  init(
    _ name: String,
    sources: [SourceRow],
    needsKey: Bool = false,
    service: Service? = nil
  ) {
    (self.name, self.sources) = (name, sources)
    (self.needsKey, self.service) = (needsKey, service)
  }

  /// The names of all sources, by their numbers; those that are not given are empty.
  public static let sourceNames: [String] = {
    let rows = all.flatMap(\.sources)
    let count = rows.map { Int($0.source.number) + 1 }.max() ?? 0
    return rows.reduce(into: [String](repeating: "", count: count)) { names, row in
      names[Int(row.source.number)] = row.name
    }
  }()

  /// The provider of a name.
  public init?(name: some StringProtocol) {
    guard let provider = Self.all.first(where: { $0.name == name }) else { return nil }
    self = provider
  }
}

extension Provider: Hashable {
  /// Providers are told apart by their names.
  public static func == (left: Provider, right: Provider) -> Bool { left.name == right.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Source {
  /// Everyone who may answer, by their numbers.
  public static let all = Provider.all.flatMap { $0.sources.map(\.source) }
    .sorted { $0.number < $1.number }

  /// The provider that it is; `nil` for a number that is not given.
  public var provider: Provider? {
    Provider.all.first { $0.sources.contains { $0.source == self } }
  }

  /// Its row; `nil` for a number that is not given.
  public var row: Provider.SourceRow? {
    Provider.all.lazy.flatMap(\.sources).first { $0.source == self }
  }

  /// The name in the `source` column; nothing for a number that is not given.
  public var name: String {
    number < Provider.sourceNames.count ? Provider.sourceNames[Int(number)] : ""
  }
}
