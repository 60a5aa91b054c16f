import SondeAddresses
import SondeRecords
import SondeSystem
import Synchronization

/// A condition of lines: at least one address of a line meets it.
///
/// A line is judged before any request, by its place and the networks of its addresses. If that
/// leaves it open, the answers about its addresses decide.
final class LineFilter: Sendable {
  /// The findings about answers, by number.
  private struct Findings {
    var all: [FilterFindings] = []
    var numbers: [FilterFindings: UInt32] = [:]
  }

  private let filter: Filter
  private let findings = Mutex(Findings())

  /// Whether the line and the input of an address matter.
  let judgesPlaces: Bool
  /// Whether answers matter.
  let judgesAnswers: Bool

  init(_ filter: Filter) {
    self.filter = filter
    (judgesPlaces, judgesAnswers) = (filter.dependsOnPlace, !filter.isDecidedEarly)
  }

  /// Whether lines need their numbers.
  var countsLines: Bool { filter.fields.contains(.line) }

  /// Whether lines need their times or texts.
  var readsLines: Bool { filter.dependsOnTime || filter.fields.contains(.text) }

  /// A parser of the times of lines.
  var timeParser: LineTimeParser {
    LineTimeParser(zone: filter.zone)
  }

  /// What is needed of a line without its end.
  func sighting(of line: Span<UInt8>, _ times: inout LineTimeParser) -> LineBlock.Sighting {
    LineBlock.Sighting(
      time: filter.dependsOnTime ? times.time(in: line, from: 0) : nil,
      text: filter.fields.contains(.text) ? filter.findings(ofText: line) : nil
    )
  }

  /// Whether the same answer about two addresses has the same verdict.
  var judgesAnswersAlike: Bool {
    !judgesAnswers
      || !filter.fields.contains { $0 == .ip || $0 == .network || $0.isAdded }
  }
}

// MARK: - Before any request

extension LineFilter {
  /// The verdict about an address before any request, if places do not matter.
  func verdict(beforeAsking entry: Record, bytes: Span<UInt8>) -> FilterVerdict {
    filter.verdict(beforeAsking: entry, bytes: bytes)
  }

  /// The verdicts about addresses, if networks alone decide; else `nil`.
  func verdicts(byNetworksOf addresses: [Address]) -> [FilterVerdict]? {
    filter.verdicts(byNetworksOf: addresses.span)
  }

  /// What an address contributes to verdicts before any request.
  func findings(beforeAsking entry: Record, bytes: Span<UInt8>) -> FilterFindings {
    filter.findings(ofEntry: entry, bytes: bytes)
  }

  /// What the place of a line contributes to verdicts.
  func findings(of place: Place, _ line: LineBlock.Sighting?) -> FilterFindings {
    var record = Record(address: nil, status: .ok)
    record.place = place
    record.place.time = line?.time
    return filter.findings(ofPlace: record, text: line?.text)
  }

  func verdict(of entry: FilterFindings, at place: FilterFindings) -> FilterVerdict {
    filter.verdict(of: entry, at: place)
  }
}

// MARK: - With answers

extension LineFilter {
  /// The number of what an answer contributes to verdicts, for ``admits(_:at:)``.
  func finding(of record: Record, bytes: Span<UInt8>) -> UInt32 {
    guard judgesAnswers else { return 0 }
    guard judgesPlaces else { return filter.excludes(record, bytes: bytes) ? 1 : 0 }
    let found = filter.findings(ofAnswer: record, bytes: bytes)
    return findings.withLock { findings in
      if let number = findings.numbers[found] { return number }
      let number = UInt32(findings.all.count)
      findings.all.append(found)
      findings.numbers[found] = number
      return number
    }
  }

  /// Whether an address with this outcome keeps its line, also because its answer is missing.
  func admits(_ outcome: EntryOutcome, at place: FilterFindings?) -> Bool {
    if outcome.status == .failed || outcome.status == .networkLost { return true }
    guard judgesPlaces, let place else { return outcome.finding == 0 }
    let found = findings.withLock { $0.all[Int(outcome.finding)] }
    return filter.verdict(of: found, at: place) != .no
  }
}
