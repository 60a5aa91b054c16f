package import SondeDatabases
import SondeProviders
import SondeRecords
package import SondeSummary

/// The sources of a summary's data and their terms.
package enum DataCredits {
  /// The credits for the sources of a report's rows, each once, in the order of the provider table.
  ///
  /// `databases` are those that answered; a source whose owner is
  /// unknown is credited by the names of their files.
  package static func credits(
    for report: SummaryReport,
    _ databases: LocalDatabases?
  ) -> [SummaryReport.DataCredit] {
    let used = Set(report[.source]?.rows.map(\.key) ?? [])
    return Source.all.filter { used.contains($0.name) }.flatMap { source in
      let files = databases?.builds.filter { $0.source == source && $0.hasAnswered } ?? []
      guard source.row?.owner == nil, !files.isEmpty else { return [credit(of: source)] }
      return files.map { build in
        let name = build.path.split(separator: "/").last.map(String.init) ?? build.path
        return SummaryReport.DataCredit(name: name, licence: nil)
      }
    }
  }

  private static func credit(of source: Source) -> SummaryReport.DataCredit {
    SummaryReport.DataCredit(name: source.row?.owner ?? source.name, licence: source.row?.terms)
  }
}
