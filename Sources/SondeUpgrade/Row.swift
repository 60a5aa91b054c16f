import SondeInputs
import SondeRecords

/// A record of an earlier run as it stands in its file: a line of values, a JSON object, the number of
/// a row in a table.
struct Row: Sendable {
  /// Where a row stands among the bytes of its block, and what it says.
  struct Place: Sendable, Equatable {
    /// What stands between the row before and this one: a header, blank lines, a comma.
    var lead: Range<Int>
    /// The row itself, without the end of its line.
    var body: Range<Int>
    /// The byte behind the end of its line.
    var end: Int
    /// How its entry ended.
    var status: Status
    /// Who answered.
    var source: Source?
    /// Whether the provider is asked about it again.
    var isAsked = false
    /// Whether sources are to fill its columns.
    var isFilled = false
    /// Which sources have answered before, by their bits.
    var answered = 0
  }

  let block: RowBlock
  let place: Place

  /// All of its bytes.
  var bytes: ArraySlice<UInt8> { block.bytes[place.lead.lowerBound..<place.end] }

  /// What counts in the books where it stays as it is.
  var record: Record {
    var record = Record(address: nil, status: place.status)
    record.source = place.source
    return record
  }

  /// Whether an answer says more than the row does.
  ///
  /// That nobody knows anything is more than that nobody answered, but less than a fallback's answer.
  func isBettered(by status: Status) -> Bool {
    switch status {
    case .ok: true
    case .unknown: place.status != .ok
    case .reserved, .invalid, .failed, .networkLost: false
    }
  }
}

/// Rows that follow one another.
struct RowBlock: Sendable {
  /// The bytes of the rows, without a gap.
  var bytes: [UInt8] = []
  /// Where each of them stands.
  var places: [Row.Place] = []

  /// Adds a row whose bytes are there.
  mutating func append(
    _ verdict: RowVerdict,
    lead: Range<Int>,
    body: Range<Int>,
    end: Int? = nil
  ) {
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
  /// Adds the entry of a row; without an address, nobody is asked.
  mutating func append(_ verdict: RowVerdict) {
    // For a provider, one that only sources are asked about is settled.
    let settled = verdict.address == nil ? verdict.status : .unknown
    let status = verdict.isAsked ? .ok : settled
    block.records.append(Record(address: verdict.address, status: status))
  }
}
