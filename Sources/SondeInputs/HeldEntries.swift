import SondeAddresses
import SondeRecords

/// Entries that are held until all inputs are read, since their records have totals.
///
/// It takes some 100 bytes for each distinct address. It may be used by one thread at a time.
package final class HeldEntries: EntrySource {
  private let source: any EntrySource
  private var addresses: [Address] = []
  private var places: [Place] = []
  /// The records of entries that have a zone or are invalid, with the texts of item and message.
  private var others: [Int: (record: Record, item: String?, message: String?)] = [:]
  private var duplicates = 0
  private var excluded = 0
  /// The number of delivered entries; `nil` until all inputs are read.
  private var delivered: Int?

  /// Creates a source that holds the entries of another.
  package init(_ source: any EntrySource) { self.source = source }

  package var cancel: @Sendable () -> Void { source.cancel }

  package func next(
    limit: Int,
    deadline: ContinuousClock.Instant?
  ) throws(CancellationError) -> Step {
    while delivered == nil {
      switch try source.next(limit: limit, deadline: deadline) {
      case .run(let make): hold(make())
      case .delivery(.entries(let entries)):
        hold(entries)
        guard entries.faults.isEmpty else {
          var block = EntryBlock()
          block.faults = entries.faults
          return .delivery(.entries(block))
        }
      case .delivery(.end): delivered = 0
      case .delivery(.silence): return .delivery(.silence)
      case .delivery(.failure(let failure)): return .delivery(.failure(failure))
      }
    }
    return .delivery(deliver(limit))
  }

  private func hold(_ entries: EntryBlock) {
    duplicates += entries.duplicates
    excluded += entries.excluded
    for record in entries.block.records {
      let item = entries.block.text(.item, of: record)
      if item != nil || record.address == nil {
        others[places.count] = (record, item, entries.block.text(.message, of: record))
      }
      addresses.append(record.address ?? Address(high: 0, low: 0))
      places.append(record.place)
    }
  }

  private func deliver(_ limit: Int) -> EntryReader.Delivery {
    let first = delivered ?? 0
    let end = min(first + limit, places.count)
    var entries = EntryBlock()
    (entries.first, entries.duplicates, entries.excluded) = (UInt64(first), duplicates, excluded)
    (duplicates, excluded) = (0, 0)
    for index in first..<end {
      guard let other = others.removeValue(forKey: index) else {
        entries.append(addresses[index], at: places[index])
        continue
      }
      var record = other.record
      record[.item] = other.item.map { entries.block.append(text: $0) } ?? .none
      record[.message] = other.message.map { entries.block.append(text: $0) } ?? .none
      entries.block.records.append(record)
    }
    delivered = end
    return entries.isEmpty ? .end : .entries(entries)
  }

  package func rest() -> [UInt8]? { source.rest() }

  package var isWhole: Bool { source.isWhole }
}
