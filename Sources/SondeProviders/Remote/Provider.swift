public import SondeRecords

/// A provider: a row of the table of providers.
///
/// To add one, add a file with its dialect, such as `IPAPI.swift`, which ends with its row, and the
/// row's name in ``all``.
public struct Provider: Sendable {
  /// All providers, in the order of the help text.
  public static let all: [Provider] = [ipAPI, ipinfo, ipinfoLite, local]

  /// The name in `--provider`.
  public let name: String

  /// The name for people.
  public let label: String

  /// The sources that answer under this name.
  public let sources: [SourceRow]

  /// The web API; `nil` for local databases.
  public let service: Service?

  /// A source of answers, and the origin of its data.
  public struct SourceRow: Sendable {
    /// The number of the source in caches, journals and tables on disk, which must never be reused.
    public let source: Source

    /// The value of the `source` column.
    public let name: String

    /// The attribution for reports that show the data; `nil` if only the file that answered
    /// contains it.
    public let owner: String?

    /// The licence or terms of the data; `nil` if unknown.
    public let terms: String?

    init(_ number: UInt8, _ name: String, owner: String? = nil, terms: String? = nil) {
      (source, self.name) = (Source(number), name)
      (self.owner, self.terms) = (owner, terms)
    }
  }

  /// The settings of a web API, and its dialect.
  public struct Service: Sendable {
    /// The API key or token.
    public let key: Key

    /// The setting that replaces its URL.
    public let url: String

    /// A warning for users without a key before addresses are sent to a host unencrypted; `nil` if
    /// there is none.
    public let caution: (@Sendable (_ host: String) -> String)?
    let make: @Sendable (BaseURL?, _ key: String?, Set<Field>) -> any RemoteAPI

    init(
      key: Key,
      url: String,
      caution: (@Sendable (_ host: String) -> String)? = nil,
      make: @escaping @Sendable (BaseURL?, _ key: String?, Set<Field>) -> any RemoteAPI
    ) {
      (self.key, self.url, self.caution, self.make) = (key, url, caution, make)
    }

    /// Creates its dialect for an optional other URL, an optional key, and the columns requested by
    /// name.
    public func api(at base: BaseURL?, key: String?, fields: Set<Field>) -> any RemoteAPI {
      make(base, key, fields)
    }
  }

  /// A key or token, accepted by one or several providers.
  public struct Key: Sendable, Equatable {
    /// The setting for it.
    public let setting: String
    /// Its name in messages.
    public let words: String
    /// Its description in the help text.
    public let summary: String
  }

  /// Whether it is required.
  public let needsKey: Bool

  init(
    _ name: String,
    label: String,
    sources: [SourceRow],
    needsKey: Bool = false,
    service: Service? = nil
  ) {
    (self.name, self.label, self.sources) = (name, label, sources)
    (self.needsKey, self.service) = (needsKey, service)
  }

  /// The names of all sources by number; empty for unassigned numbers.
  public static let sourceNames: [String] = {
    let rows = all.flatMap(\.sources)
    let count = rows.map { Int($0.source.number) + 1 }.max() ?? 0
    return rows.reduce(into: [String](repeating: "", count: count)) { names, row in
      names[Int(row.source.number)] = row.name
    }
  }()

  /// Finds a provider by its name.
  public init?(name: some StringProtocol) {
    guard let provider = Self.all.first(where: { $0.name == name }) else { return nil }
    self = provider
  }
}

extension Provider: Hashable {
  /// Compares providers by their names.
  public static func == (left: Provider, right: Provider) -> Bool { left.name == right.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Source {
  /// All sources, by number.
  public static let all = Provider.all.flatMap { $0.sources.map(\.source) }
    .sorted { $0.number < $1.number }

  /// The provider of the source; `nil` for an unassigned number.
  public var provider: Provider? {
    Provider.all.first { $0.sources.contains { $0.source == self } }
  }

  /// The row of the source; `nil` for an unassigned number.
  public var row: Provider.SourceRow? {
    Provider.all.lazy.flatMap(\.sources).first { $0.source == self }
  }

  /// The value of the `source` column; empty for an unassigned number.
  public var name: String {
    number < Provider.sourceNames.count ? Provider.sourceNames[Int(number)] : ""
  }
}
