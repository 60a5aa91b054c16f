import Foundation
import SondeProviders
import SondeRecords
import Testing

/// Holds the number of places at which a provider or a form is known, so that one more stays one file
/// and one row.
///
/// A place that is found here beside those listed is one that the next provider or form would have to
/// be added to as well: ask its row instead.
@Suite struct PlacesTests {
  /// Where a web API is named beside its own file: what is chosen where the user chooses nothing, and
  /// the examples and words of help.
  private static let providers = [
    "Provider.swift": 1,  // the table
    "Options.swift": 1,  // the providers of a run without `--provider`
    "CommandTable.swift": 2, "CommandTable+Services.swift": 1,  // examples
    "Field.swift": 1,  // a word of help
    "PublishedDatabase.swift": 2,  // host and type of a database, which is none of the API
  ]

  /// Where a form is named beside its own file.
  private static let formats = [
    "RecordEncoder.swift": 1,  // the form whose columns depend on the records
    "Form.swift": 1,  // the form that is not asked for
    "OutputSetup.swift": 4,  // what is written where the user chooses nothing
    "CacheCommand.swift": 1,  // what numbers are written as
    "CommandRequest.swift": 1,  // what the columns are described in
    "AnnotateCommand.swift": 5,  // what is inserted into files of the form
    "Enrichment.swift": 1,  // whether such a file is what is read
    // What the dashboard keeps, and what it sends.
    "ScanExecution.swift": 1, "RecordDesk.swift": 1, "RecordDesk+Counting.swift": 1,
    "RecordDownload.swift": 1,
    "RecordColumns.swift": 1, "DashboardAPI+Records.swift": 8, "DashboardAPI+Network.swift": 1,
    "NetworkDesk+History.swift": 1, "LogAsking.swift": 1,
    // Forms that can be read again.
    "RecordLayout.swift": 4, "RecordParser.swift": 1, "RowEncoder.swift": 1, "OpenedTable.swift": 1,
    // Forms of records that a summary counts.
    "RecordForm.swift": 4, "RecordForm+Names.swift": 5,
    "RecordRows.swift": 4, "RecordValue.swift": 3,
    "ReadRecord.swift": 4,  // records that are compared
    "Profiles.swift": 1,  // as what values are compared
  ]

  @Test func `a web API is known in its own file, in the table, and where it is chosen`() throws {
    let table = try #require(
      try Tree.text(of: "Sources/SondeProviders/Remote/Provider.swift")
        .firstMatch(of: /static let all: \[Provider\] = \[([^\]]*)\]/)
    )
    let rows = table.output.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(rows.count == Provider.all.count)
    var (words, own): ([String], Set<String>) = ([], [])
    for (row, provider) in zip(rows, Provider.all) where provider.service != nil {
      let file = try #require(
        try sources.first { try Tree.text(of: $0).contains("static let \(row) = Provider(") }
      )
      let types = try Tree.text(of: file).matches(of: /struct (\w+): RemoteAPI/).map(\.output.1)
      #expect(!types.isEmpty, "no dialect in \(file)")
      words +=
        ["\\.\(row)\\b"] + types.map { "\\b\($0)\\b" } + provider.names.map { "\\b\($0)\\b(?!-)" }
      own.insert(file)
    }
    let found = try places(of: words, outside: own)
    #expect(found == Self.providers)
  }

  @Test func `a form is known in its own file, in the table, and where it is chosen`() throws {
    let names = Format.all.map(\.name).joined(separator: "|")
    // Not what is another value's or a key path's: `event.json`, `\.json`.
    let words = [
      #"(^|[^\w)\]?\\"])\.(\#(names))\b(?!\()"#, #"Format\.(\#(names))\b"#, "\"(\(names))\"",
    ]
    let own = Set(sources.filter { $0.contains("/Format+") })
    // Forms of their own, which have JSON in common with these.
    let others: Set = [
      "Watch.swift", "StatusCommand.swift", "SummarySetup.swift", "SummaryCommand.swift",
      "SummaryReport+Data.swift", "TablesCommand.swift", "QuotaCommand.swift",
      "OutagesCommand.swift", "CombinationTable.swift", "MessageTemplate.swift",
      "OutageReport+Data.swift", "BlockFormat.swift", "BlockPlan+Text.swift", "BlockSetup.swift",
      "BlockCommand.swift", "RuleForm.swift", "GuardCommand.swift", "RowEncoding.swift",
      "DiffCommand.swift",
      "DiffCommand+Rows.swift", "ComparisonCounts+Tables.swift",
    ]
    let found = try places(of: words, outside: own).filter { !others.contains($0.key) }
    #expect(found == Self.formats)
  }

  @Test func `every number on the disk is given once`() {
    let numbers = Provider.all.flatMap { $0.sources.map(\.source.number) }
    #expect(Set(numbers).count == numbers.count)
    #expect(numbers.allSatisfy { $0 < Source.limit })
  }

  private var sources: [String] { Tree.files(in: "Sources", endingIn: ".swift") }

  /// How many lines of code have one of some words, by the name of the file.
  private func places(
    of patterns: [String],
    outside own: Set<String>
  ) throws -> [String: Int] {
    let words = try Regex(patterns.joined(separator: "|"))
    let prefixes = own.map { String($0.dropLast(".swift".count)) }
    var places: [String: Int] = [:]
    for path in sources where !prefixes.contains(where: { path.hasPrefix($0) }) {
      let count = try Tree.lines(of: path).count { line in
        !line.drop { $0 == " " }.hasPrefix("//") && line.contains(words)
      }
      if count > 0 { places[String(path.split(separator: "/").last ?? ""), default: 0] += count }
    }
    return places
  }
}

extension Provider {
  /// What it is called in options, records and the names of settings.
  fileprivate var names: [String] {
    [name] + sources.map(\.name) + [service?.key.setting, service?.url].compactMap(\.self)
  }
}
