import SondeCatalog
package import SondeDatabases
import SondeProviders
import SondeRecords
package import SondeSummary

/// The sources of a summary's data and their terms.
package enum DataCredits {
  /// The credits for the sources of a report's rows, each once, in the order of the provider table.
  ///
  /// `databases` are those that may have answered; a source whose owner is unknown is credited by
  /// what the owner of a published database wants, or by the names of their files.
  package static func credits(
    for report: SummaryReport,
    _ databases: [LocalDatabases.Build]
  ) -> [SummaryReport.DataCredit] {
    let used = Set(report[.source]?.rows.map(\.key) ?? [])
    return Source.all.filter { used.contains($0.name) }.flatMap { source in
      let files = databases.filter { $0.source == source }
      guard source.row?.owner == nil, !files.isEmpty else { return [credit(of: source)] }
      return files.map { credit(of: $0) }
    }
  }

  /// The credits for those of some database files that are published ones.
  package static func linked(_ paths: [String]) -> [SummaryReport.DataCredit] {
    paths.compactMap { PublishedDatabase(path: $0).map(credit) }
  }

  private static func credit(of build: LocalDatabases.Build) -> SummaryReport.DataCredit {
    PublishedDatabase(path: build.path).map(credit)
      ?? SummaryReport.DataCredit(name: build.name, licence: nil)
  }

  private static func credit(of database: PublishedDatabase) -> SummaryReport.DataCredit {
    let (licence, credit) = (database.licence, database.credit)
    return SummaryReport.DataCredit(name: credit.words, licence: licence, link: credit.link)
  }

  private static func credit(of source: Source) -> SummaryReport.DataCredit {
    SummaryReport.DataCredit(name: source.row?.owner ?? source.name, licence: source.row?.terms)
  }
}
