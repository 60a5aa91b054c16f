import SondeAddresses
import SondeRecords
import SondeSystem

/// Entries that are held until all inputs are read, since their records have totals.
///
/// It takes some 100 bytes for each distinct address; invalid entries wait in a file. It may be used
/// by one thread at a time.
package final class HeldEntries: EntrySource {
  private let source: any EntrySource
  private var addresses: [Address] = []
  private var places: [Place] = []
  /// The records of entries that have a zone, with the texts of item and message.
  private var zoned: [Int: (record: Record, item: String?, message: String?)] = [:]
  private var faults = HeldFaults()
  /// The number of entries, and of those with an address that were delivered.
  private var count = 0
  private var deliveredAddresses = 0
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
      let message = entries.block.text(.message, of: record)
      defer { count += 1 }
      guard let address = record.address else {
        faults.append(
          HeldFaults.Fault(
            number: count,
            place: record.place,
            item: item ?? "",
            message: message ?? ""
          )
        )
        continue
      }
      if item != nil { zoned[places.count] = (record, item, message) }
      addresses.append(address)
      places.append(record.place)
    }
  }

  private func deliver(_ limit: Int) -> EntryReader.Delivery {
    let first = delivered ?? 0
    let end = min(first + limit, count)
    var entries = EntryBlock()
    (entries.first, entries.duplicates, entries.excluded) = (UInt64(first), duplicates, excluded)
    (duplicates, excluded) = (0, 0)
    entries.block.records.reserveCapacity(end - first)
    for number in first..<end {
      do throws(SystemError) {
        guard let fault = try faults.remove(number) else {
          deliverAddress(to: &entries)
          continue
        }
        var record = Record(address: nil, status: .invalid)
        record.place = fault.place
        append(record, item: fault.item, message: fault.message, to: &entries)
      } catch {
        // The entries are lost, and this is reported.
        delivered = count
        return .failure(InputError(name: "temporary file", error))
      }
    }
    delivered = end
    return entries.isEmpty ? .end : .entries(entries)
  }

  private func deliverAddress(to entries: inout EntryBlock) {
    let index = deliveredAddresses
    deliveredAddresses += 1
    guard let other = zoned.removeValue(forKey: index) else {
      return entries.append(addresses[index], at: places[index])
    }
    append(other.record, item: other.item, message: other.message, to: &entries)
  }

  private func append(
    _ record: Record,
    item: String?,
    message: String?,
    to entries: inout EntryBlock
  ) {
    var record = record
    record[.item] = item.map { entries.block.append(text: $0) } ?? .none
    record[.message] = message.map { entries.block.append(text: $0) } ?? .none
    entries.block.records.append(record)
  }

  package func rest() -> [UInt8]? { source.rest() }

  package var isWhole: Bool { source.isWhole }
}
