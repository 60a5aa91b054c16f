import SondeAddresses
package import SondeInputs
public import SondeRecords
public import SondeSummary
public import SondeSystem

/// The rules for counting in a summary.
public struct SummaryRules: Sendable {
  /// Whether to read every input as a log, whatever its content.
  public var isLog = false
  /// The time zone of times without one, and of the timeline.
  public var zone = TimeZoneRules.utc
  /// The start of the period, in milliseconds since 1970 UTC, which excludes earlier lines and
  /// those without a time; `nil` for none.
  public var since: Int64?
  /// The end of the period, which excludes later lines and those without a time; `nil` for none.
  public var until: Int64?

  /// Which addresses of a log's line count.
  public var pick = Pick.all
  /// Whether any line has its name.
  package var pickFindings = PickFindings()

  /// Whether defanged marks, such as `[.]`, are the marks that they stand for.
  public var refangs = false

  /// Finds the crawlers that lines of logs claim to come from; `nil` if that does not matter.
  public var claims: CrawlerClaims.Finder?

  /// The filter of records and of addresses in logs; `nil` for none.
  public var filter: Filter?

  /// The combinations to count.
  public var groupings: [Grouping] = []

  /// Whether the hits of each address are counted by hour, so that a reader can choose an hour.
  public var countsByTime = false

  /// Whether each hit is counted with its time or input.
  var countsOccurrences: Bool { countsByTime || !groupings.isEmpty }

  /// The names of the inputs, by number.
  public var inputs: [String] = []

  /// Writes the fields of answers that the groupings have, in any format; `nil` for none.
  public var columns: RecordEncoder?

  /// Where it is not `nil`, only about addresses of these many first rows of each grouping is asked,
  /// once everything is counted; each grouping then has the address.
  public var leading: Int?

  /// The periods of which answers are asked for, by the time of each hit's line, or else of the line
  /// before; `nil` if they depend on no time.
  public var periods: BuildPeriods?

  /// The conditions that make hits bad or good, without excluding any; `nil` for none.
  public var judge: HitJudge?

  /// Creates the default rules.
  public init() {}

  /// The conditions: of `--where`, or of bad and good hits.
  var conditions: [Filter] { (filter.map { [$0] } ?? []) + (judge?.conditions ?? []) }

  /// Whether the counter, not the slice, decides about hits, which may depend on an answer, on
  /// totals or on the line, known only from preceding slices.
  var choosesLater: Bool {
    guard let filter else { return false }
    return !filter.isDecidedEarly || filter.fields.contains(.line) || filter.dependsOnTotals
  }

  /// Whether totals decide about hits, so that nobody is asked until all are counted.
  var awaitsTotals: Bool { conditions.contains(where: \.dependsOnTotals) }

  /// Whether the counter needs to know where each hit is.
  var wantsPlaces: Bool {
    choosesLater || countsOccurrences || judge?.dependsOnPlace ?? false || awaitsTotals
      || periods != nil
  }

  /// The number of first rows to ask about, unless hits are only known once there are answers, or
  /// answers depend on times: those are local, and cost no requests.
  var asksLater: Int? { choosesLater || periods != nil ? nil : leading }

  /// Whether anything is asked only when all inputs are counted.
  var asksAtEnd: Bool { awaitsTotals || asksLater != nil }

  var wantsLines: Bool { conditions.contains { $0.fields.contains(.line) } }

  /// Whether it matters what stands in lines.
  var readsTexts: Bool { conditions.contains(where: \.dependsOnText) }

  /// Whether slices must have whole lines, since all that is in a line matters.
  var readsLines: Bool {
    readsTexts || claims != nil || periods != nil || conditions.contains(where: \.dependsOnTime)
  }

  /// Whether an address of a log is excluded whatever the answer.
  ///
  /// `record` is its record before any request; `bytes` are those of its zone.
  func excludes(_ record: Record, bytes: Span<UInt8>, _ text: FilterFindings? = nil) -> Bool {
    guard let filter else { return false }
    if text != nil || filter.dependsOnTotals {
      let entry = filter.findings(ofEntry: record, bytes: bytes)
      return filter.excludes(entry, at: filter.findings(ofPlace: record, text: text))
    }
    return filter.verdict(beforeAsking: record, bytes: bytes) == .no
  }

  /// Whether a log's line with this time, in milliseconds since 1970 UTC, is counted.
  func admits(_ time: Int64?) -> Bool {
    guard since != nil || until != nil else { return true }
    guard let time else { return false }
    return time >= since ?? .min && time < until ?? .max
  }
}
