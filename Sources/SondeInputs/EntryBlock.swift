package import SondeAddresses
public import SondeRecords

/// Entries in the order of their input, as the records they will be if nobody is asked.
///
/// `ok` marks an address that a provider is to be asked for.
public struct EntryBlock: Sendable {
  /// The records; their texts are filled in for reserved and invalid ones.
  public var block = RecordBlock()

  /// The number of the first record among all that the reader delivers.
  public var first: UInt64 = 0

  /// Entries that were answered before, by an earlier record.
  public var duplicates = 0

  /// What is wrong with the input itself.
  package var faults: [InputError] = []

  /// Makes an empty block.
  public init() {}

  /// The numbers of the records.
  package var numbers: Range<UInt64> { first..<first + UInt64(block.records.count) }

  /// Whether there is nothing to tell.
  package var isEmpty: Bool {
    block.records.isEmpty && duplicates == 0 && faults.isEmpty
  }

  /// Appends the entry of an address, which a provider is to be asked for unless it is reserved.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - zone: The zone of a link-local one, which tells it apart from the same one elsewhere.
  ///   - place: Where it stands.
  package mutating func append(_ address: Address, zone: Span<UInt8>? = nil, at place: Place) {
    var record = Record(address: address, status: .ok)
    record.place = place
    if let zone { record[.item] = block.append(text: zone) }
    if let special = address.specialPurpose {
      record.status = .reserved
      record[.message] = block.append(text: special.message)
    }
    block.records.append(record)
  }
}
