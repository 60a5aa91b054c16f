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

  /// Whether the counter, not the slice, decides about hits, which may depend on an answer or on
  /// the line, known only from preceding slices.
  var choosesLater: Bool {
    guard let filter else { return false }
    return !filter.isDecidedEarly || filter.fields.contains(.line) || awaitedTraffic != nil
  }

  /// Whether the counter needs to know where each hit is.
  var wantsPlaces: Bool {
    choosesLater || countsOccurrences || periods != nil || judge?.dependsOnPlace ?? false
  }

  /// The number of first rows to ask about, unless hits are only known once there are answers.
  var asksLater: Int? { choosesLater ? nil : leading }

  /// Counts the traffic of captures, if needed; it is known only at the end of a capture.
  var awaitedTraffic: Sightings? {
    guard let filter, !filter.fields.isDisjoint(with: Field.totals) else { return nil }
    return filter.sightings
  }

  var wantsLines: Bool {
    filter?.fields.contains(.line) ?? false || judge?.fields.contains(.line) ?? false
  }

  /// Whether slices must have whole lines, since all that is in a line matters.
  var readsLines: Bool {
    filter?.fields.contains(.text) ?? false || filter?.dependsOnTime ?? false || periods != nil
      || judge?.dependsOnTime ?? false
  }

  /// Whether an address of a log is excluded whatever the answer.
  ///
  /// `record` is its record before any request; `bytes` are those of its zone.
  func excludes(_ record: Record, bytes: Span<UInt8>, _ text: FilterFindings? = nil) -> Bool {
    guard let filter else { return false }
    if let text {
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
