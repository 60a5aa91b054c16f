package import SondeAddresses
import SondePrivacy
public import SondeRecords

/// Entries in the order of their input, as their records without any request.
///
/// `ok` marks an address about which a provider is asked.
public struct EntryBlock: Sendable {
  /// The records; reserved and invalid ones include their texts.
  public var block = RecordBlock()

  /// The number of the first record among all records read.
  public var first: UInt64 = 0

  /// The number of entries answered by an earlier record.
  public var duplicates = 0

  /// The number of occurrences that the condition excludes, whatever the answer.
  package var excluded = 0

  /// The errors of the input itself.
  package var faults: [InputError] = []

  /// Whether the entries are blocks of addresses, with their networks.
  package var areBlocks = false

  /// Creates an empty block.
  public init() {}

  package var numbers: Range<UInt64> { first..<first + UInt64(block.records.count) }

  /// Whether it contains nothing, not even counts.
  package var isEmpty: Bool {
    block.records.isEmpty && duplicates == 0 && excluded == 0 && faults.isEmpty
  }

  /// Appends the entry of an address, about which providers are asked unless it is reserved.
  ///
  /// A `zone` distinguishes a link-local address from the same one elsewhere.
  package mutating func append(_ address: Address, zone: Span<UInt8>? = nil, at place: Place) {
    let index = block.records.count
    block.records.append(Record(address: address, status: .ok, place: place))
    if let zone { block.records[index][.item] = block.append(text: zone) }
    mark(index, of: address)
  }

  private mutating func mark(_ index: Int, of address: Address) {
    guard let special = address.specialPurpose else { return }
    block.records[index].status = .reserved
    block.records[index][.message] = block.append(text: special.message)
  }

  /// The entries of the addresses for which pseudonyms stand.
  func revealed(by pseudonyms: Pseudonyms) -> EntryBlock {
    var copy = self
    for (index, entry) in block.records.enumerated() {
      guard let pseudonym = entry.address else { continue }
      let address = pseudonyms.address(of: pseudonym)
      copy.block.records[index] = Record(address: address, status: .ok, place: entry.place)
      copy.mark(index, of: address)
    }
    return copy
  }
}
