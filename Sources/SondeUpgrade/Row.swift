import SondeInputs
import SondeRecords

/// A record of an earlier run: a delimited line, a JSON object, or the number of a table's row.
struct Row: Sendable {
  /// The position of a row in the bytes of its block, and its values.
  struct Place: Sendable, Equatable {
    /// The text between the previous row and this one: a header, blank lines, a comma.
    var lead: Range<Int>
    /// The row itself, without its line end.
    var body: Range<Int>
    /// The position after its line end.
    var end: Int
    var status: Status
    var source: Source?
    /// Whether the provider is asked again.
    var isAsked = false
    /// Whether sources fill its columns.
    var isFilled = false
    /// The sources that have answered before, as bits.
    var answered = 0
  }

  let block: RowBlock
  let place: Place

  var bytes: ArraySlice<UInt8> { block.bytes[place.lead.lowerBound..<place.end] }

  /// The record to count if the row is unchanged.
  var record: Record {
    var record = Record(address: nil, status: place.status)
    record.source = place.source
    return record
  }

  /// Whether an answer has more information than the row.
  ///
  /// A confirmed absence of information is more than no answer, but less than a fallback's answer.
  func isBettered(by status: Status) -> Bool {
    switch status {
    case .ok: true
    case .unknown: place.status != .ok
    case .reserved, .invalid, .failed, .networkLost: false
    }
  }
}

/// Consecutive rows.
struct RowBlock: Sendable {
  /// The bytes of the rows, without gaps.
  var bytes: [UInt8] = []
  var places: [Row.Place] = []

  /// Adds a row whose bytes were appended.
  mutating func append(_ verdict: RowVerdict, lead: Range<Int>, body: Range<Int>, end: Int? = nil) {
    places.append(
      Row.Place(
        lead: lead,
        body: body,
        end: end ?? body.upperBound,
        status: verdict.status,
        source: verdict.source,
        isAsked: verdict.isAsked,
        isFilled: verdict.isFilled,
        answered: verdict.answered
      )
    )
  }
}

extension EntryBlock {
  /// Adds the entry of a row; without an address, no request is made.
  mutating func append(_ verdict: RowVerdict) {
    // For providers, a row that only sources are asked about is settled.
    let settled = verdict.address == nil ? verdict.status : .unknown
    let status = verdict.isAsked ? .ok : settled
    var record = Record(address: verdict.address, status: status)
    record.place.claims = verdict.claims
    block.records.append(record)
  }
}
